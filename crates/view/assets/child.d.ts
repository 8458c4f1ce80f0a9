// What can stand in an element. It is here because JSDoc has no recursive types.

type Child = Node | string | number | boolean | null | undefined | Child[];
