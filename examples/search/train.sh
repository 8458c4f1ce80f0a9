# Trains a network with one hidden layer on a noisy curve, by gradient descent with momentum and weight decay, and prints
# its mean squared error on other points of the curve. Where training diverges it prints nan, and the trial has failed.
exec awk -v rate="$1" -v momentum="$2" -v hidden="$3" -v decay="$4" -v epochs="$5" '
function uniform() { state = (state * 16807) % 2147483647; return state / 2147483647 }
function tanh(z, e) { if (z > 20) return 1; if (z < -20) return -1; e = exp(2 * z); return (e - 1) / (e + 1) }
function curve(x) { return sin(3 * x) + 0.5 * cos(7 * x) }
function predict(x, j, sum) {
    sum = c
    for (j = 1; j <= hidden; j++) { h[j] = tanh(a[j] * x + b[j]); sum += w[j] * h[j] }
    return sum
}
BEGIN {
    state = 12345
    for (i = 1; i <= 80; i++) { x[i] = 2 * uniform() - 1; y[i] = curve(x[i]) + 0.1 * (uniform() - 0.5) }
    for (j = 1; j <= hidden; j++) { a[j] = 6 * uniform() - 3; b[j] = 2 * uniform() - 1; w[j] = uniform() - 0.5 }
    for (t = 1; t <= epochs; t++) for (i = 1; i <= 40; i++) {
        error = predict(x[i]) - y[i]
        if (error > 1e6 || error < -1e6) { print "nan"; exit }
        for (j = 1; j <= hidden; j++) {
            back = error * w[j] * (1 - h[j] * h[j])
            vw[j] = momentum * vw[j] - rate * (error * h[j] + decay * w[j]); w[j] += vw[j]
            va[j] = momentum * va[j] - rate * (back * x[i] + decay * a[j]); a[j] += va[j]
            vb[j] = momentum * vb[j] - rate * back; b[j] += vb[j]
        }
        vc = momentum * vc - rate * error; c += vc
    }
    for (i = 41; i <= 80; i++) { error = predict(x[i]) - y[i]; sum += error * error }
    print sum / 40
}'
