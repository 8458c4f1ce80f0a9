# The laboratory of this example: fills in a sheet. readout=bench is known at once, readout=hplc a day later.
BEGIN { FS = OFS = "," }
NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; print; next }
{
    celsius = $(column["celsius"]); hours = $(column["hours"]); equivalents = $(column["equivalents"])
    rate = 0.9 * exp((celsius - 60) / 25) * equivalents / 2
    lost = 0.004 * exp((celsius - 60) / 12) * hours
    if (readout == "bench") {
        $(column["yield"]) = sprintf("%.1f", 100 * (1 - exp(-0.35 * rate * hours)) * exp(-lost))
        $(column["cost"]) = sprintf("%.1f", 6 + 9 * equivalents + 1.4 * hours + 0.12 * (celsius - 20))
        $(column["colour"]) = (celsius > 75) ? 2 : 1
    } else {
        $(column["purity"]) = sprintf("%.2f", 99.5 - 100 * lost / (1 + lost) / 3 - 1.1 * (equivalents - 1))
    }
    print
}
