"""What it costs to send a parcel. The mock of `quote_postage` in evals/orders.eval.yaml names `quote`."""

from __future__ import annotations

# country -> the price of a parcel up to 2 kg, and of each further kilogram that is begun, in EUR
RATES = {"DE": (5.90, 0.80), "DK": (9.90, 2.00), "NO": (13.90, 4.00), "SE": (11.90, 3.00)}


def quote(arguments: dict[str, object]) -> dict[str, object]:
    """The price for `{"country": "NO", "weight_kg": 3.5}`; raises `ValueError` where we do not send to."""
    country, weight = str(arguments["country"]), float(str(arguments["weight_kg"]))
    if country not in RATES:
        raise ValueError(f"we do not send to {country}")
    base, more = RATES[country]
    begun = max(0, -int(-(weight - 2) // 1))
    return {"price": round(base + begun * more, 2), "currency": "EUR"}
