//! The styles of the methods' lines, the same in every figure.

use crate::methods::variant_of;
use elbowroom_view::plot::{
    BLACK, BLUE, Dash, GREEN, GREY, INK, Look, Marker, ORANGE, PURPLE, SKY, Stroke, VERMILLION,
};

/// The style of a method by its name in the paper, or in this crate. A family has one colour and marker; EI is dashed,
/// UCB is not, and local penalization is drawn thicker. A variant has the colour of its method, with dots. All unknown
/// names have the same style.
pub fn look_of_method(name: &str) -> Look {
    if let Some(base) = variant_of(name) {
        let look = look_of_method(base);
        let marker = if base.ends_with("-EI") { Marker::Triangle } else { Marker::Down };
        return Look { stroke: Stroke { width: 1.2, dash: Dash::Dotted, ..look.stroke }, marker };
    }
    let (colour, marker) = match name.trim_end_matches("-EI").trim_end_matches("-UCB") {
        "EI" | "UCB" => (BLACK, Marker::Circle),
        "Rand" => (SKY, Marker::Triangle),
        "SM" => (PURPLE, Marker::Diamond),
        "B" => (ORANGE, Marker::Square),
        "PE" => (GREEN, Marker::Down),
        "Pred" => (BLUE, Marker::Cross),
        "qEI" => (GREY, Marker::Plus),
        "LP" if name == "LP" => (BLACK, Marker::Star),
        "LP" => (VERMILLION, Marker::Star),
        "LP-T" => (PURPLE, Marker::Diamond),
        "Thompson" => (GREEN, Marker::Plus),
        "random" => (GREY, Marker::Tick),
        _ => (INK, Marker::Plus),
    };
    let dash = match name {
        "EI" => Dash::Dashed,
        "LP" | "LP-T-UCB" | "Thompson" | "random" => Dash::Dotted,
        _ if name.ends_with("-EI") => Dash::Dashed,
        _ => Dash::Solid,
    };
    let width = if name.starts_with("LP") { 2.6 } else { 1.6 };
    Look { stroke: Stroke { colour, width, dash }, marker }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_methods_of_the_paper_look_alike() {
        let names = [
            "EI",
            "UCB",
            "Rand-EI",
            "Rand-UCB",
            "SM-UCB",
            "B-UCB",
            "PE-UCB",
            "Pred-EI",
            "Pred-UCB",
            "qEI",
            "LP-EI",
            "LP-UCB",
            "LP",
            "LP-T-UCB",
            "Thompson",
            "random",
            "LP-UCB-guarded",
            "LP-EI-guarded",
        ];
        for (i, a) in names.iter().enumerate() {
            for b in &names[..i] {
                let (a, b) = (look_of_method(a), look_of_method(b));
                assert!(a.marker != b.marker || a.stroke.dash != b.stroke.dash, "{a:?} {b:?}");
            }
        }
    }
}
