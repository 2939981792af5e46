"""Numbers of ITU-R Study Group 3's validation examples, CG-3M3J-13-ValEx-Rev5_1, as the sheets have them.

Those of the recommendations that rain takes something of (docs/models/rain.md).
"""

from dataclasses import dataclass

EXCEEDED_PERCENT = (1, 0.1, 0.01, 0.001)
"""Of an average year, for the attenuations below."""


@dataclass(frozen=True, kw_only=True)
class Ray:
    """A row of the sheet P.618-13 A_rain.

    `attenuation_db` is exceeded at 14.25 and at 29 GHz for each of `EXCEEDED_PERCENT`; `k_alpha_gamma` are
    of the sheet of P.838-3, at both frequencies for `sheet_838_mm_h` of rain.
    """

    latitude_deg: float
    longitude_deg: float
    altitude_km: float
    elevation_deg: float
    tilt_deg: float
    rain_mm_h: float
    attenuation_db: dict[float, tuple[float, float, float, float]]
    sheet_838_mm_h: float
    k_alpha_gamma: dict[float, tuple[float, float, float]]


RAYS = (
    Ray(
        latitude_deg=51.5,
        longitude_deg=-0.14,
        altitude_km=0.031382984,
        elevation_deg=31.07699124,
        tilt_deg=0,
        rain_mm_h=26.48052,
        attenuation_db={
            14.25: (0.495317069, 2.185847422, 6.798072267, 14.89982248),
            29: (2.207786043, 8.570058374, 23.44444523, 45.19865638),
        },
        sheet_838_mm_h=26.48052,
        k_alpha_gamma={
            14.25: (0.03975488, 1.12418043, 1.58130839),
            29: (0.22106804, 0.95320005, 5.02180189),
        },
    ),
    Ray(
        latitude_deg=41.9,
        longitude_deg=12.49,
        altitude_km=0.046122988,
        elevation_deg=40.232036,
        tilt_deg=0,
        rain_mm_h=33.936232,
        attenuation_db={
            14.25: (0.623263001, 2.696765133, 8.223265009, 17.67155766),
            29: (2.823465634, 10.73100773, 28.74272193, 54.25561152),
        },
        sheet_838_mm_h=33.936232,
        k_alpha_gamma={
            14.25: (0.04007624, 1.11804138, 2.06173213),
            29: (0.22031404, 0.9504446, 6.27846024),
        },
    ),
    Ray(
        latitude_deg=33.94,
        longitude_deg=18.43,
        altitude_km=0,
        elevation_deg=46.35969261,
        tilt_deg=0,
        rain_mm_h=27.13586832,
        attenuation_db={
            14.25: (0.421017025, 1.913387572, 5.941806096, 12.98151687),
            29: (1.960636113, 7.808322508, 21.24861968, 40.68133016),
        },
        sheet_838_mm_h=27.13586832,
        k_alpha_gamma={
            14.25: (0.04030344, 1.11376017, 1.5920842),
            29: (0.21978097, 0.9484851, 5.03135479),
        },
    ),
    Ray(
        latitude_deg=22.9,
        longitude_deg=-43.23,
        altitude_km=0,
        elevation_deg=22.27833468,
        tilt_deg=0,
        rain_mm_h=50.639304,
        attenuation_db={
            14.25: (1.706901281, 8.271647438, 18.94410356, 29.91171296),
            29: (6.813368079, 29.31896844, 59.62576355, 83.5996391),
        },
        sheet_838_mm_h=50.639304,
        k_alpha_gamma={
            14.25: (0.03949319, 1.12925336, 3.32139638),
            29: (0.22168203, 0.95543001, 9.42430244),
        },
    ),
    Ray(
        latitude_deg=25.78,
        longitude_deg=-80.22,
        altitude_km=0.00861728,
        elevation_deg=52.67898486,
        tilt_deg=0,
        rain_mm_h=78.2994993,
        attenuation_db={
            14.25: (1.437312523, 6.297247244, 16.42980703, 29.9309477),
            29: (6.654855651, 25.56295492, 58.47438336, 93.39562548),
        },
        sheet_838_mm_h=78.2994993,
        k_alpha_gamma={
            14.25: (0.04053522, 1.10944215, 5.11503463),
            29: (0.21923716, 0.9464763, 13.59290086),
        },
    ),
    Ray(
        latitude_deg=28.717,
        longitude_deg=77.3,
        altitude_km=0.209383699,
        elevation_deg=48.24117054,
        tilt_deg=90,
        rain_mm_h=63.61888808,
        attenuation_db={
            14.25: (1.274463613, 5.486346969, 14.87213733, 28.23603149),
            29: (5.887821871, 22.22622902, 52.83372062, 87.96233699),
        },
        sheet_838_mm_h=63.62668149,
        k_alpha_gamma={
            14.25: (0.04226474, 1.07871664, 3.72901264),
            29: (0.21517927, 0.93116621, 10.28699163),
        },
    ),
    Ray(
        latitude_deg=3.133,
        longitude_deg=101.7,
        altitude_km=0.051251456,
        elevation_deg=85.80459566,
        tilt_deg=90,
        rain_mm_h=99.15117186,
        attenuation_db={
            14.25: (2.001026654, 11.00145492, 21.61057916, 28.81950409),
            29: (10.2131477, 48.81996807, 83.37856227, 96.67521082),
        },
        sheet_838_mm_h=99.13558978,
        k_alpha_gamma={
            14.25: (0.04133039, 1.09499629, 6.34064598),
            29: (0.21737148, 0.93950825, 16.3183686),
        },
    ),
    Ray(
        latitude_deg=9.05,
        longitude_deg=38.7,
        altitude_km=2.539861878,
        elevation_deg=20.14335809,
        tilt_deg=90,
        rain_mm_h=42.91007183,
        attenuation_db={
            14.25: (1.012353973, 5.881071312, 12.28976033, 17.44199306),
            29: (3.70158394, 19.23910378, 35.97037673, 45.67419098),
        },
        sheet_838_mm_h=42.91007183,
        k_alpha_gamma={
            14.25: (0.04319835, 1.0631531, 2.35032323),
            29: (0.21298877, 0.92265917, 6.83364556),
        },
    ),
)

Places = dict[tuple[float, float], float]
"""A value by latitude and longitude in degrees."""

RAIN_PERCENT: Places = {
    (3.133, 101.7): 4.53654368,
    (22.9, -43.23): 1.41773353,
    (23, 30): 0.00051911,
    (25.78, -80.22): 2.90785192,
    (28.717, 77.3): 1.07089363,
    (33.94, 18.43): 1.27567391,
    (41.9, 12.49): 5.26971907,
    (51.5, -0.14): 5.36150960,
}
"""Probability of rain, P.837-7."""

RAIN_MM_H: Places = {
    (3.133, 101.7): 99.1481136,
    (22.9, -43.23): 50.639304,
    (23, 30): 0,
    (25.78, -80.22): 78.2982928,
    (28.717, 77.3): 63.5972464,
    (33.94, 18.43): 27.1349664,
    (41.9, 12.49): 33.936232,
    (51.5, -0.14): 26.48052,
}
"""Rain rate exceeded for 0.01 % of the time, P.837-7."""

RAIN_HEIGHT_KM: Places = {
    (3.133, 101.7): 4.95797440,
    (22.9, -43.23): 4.15877867,
    (23, 30): 4.52800000,
    (25.78, -80.22): 4.56946133,
    (28.717, 77.3): 5.25820404,
    (33.94, 18.43): 2.56330276,
    (41.9, 12.49): 3.04749333,
    (51.5, -0.14): 2.45273333,
}
"""Mean rain height, P.839-4."""

ALTITUDE_KM: Places = {
    (3.133, 101.7): 0.05125146,
    (22.9, -43.23): 0.00000000,
    (23, 30): 0.18759375,
    (25.78, -80.22): 0.00861728,
    (28.717, 77.3): 0.20938370,
    (33.94, 18.43): 0.00000000,
    (41.9, 12.49): 0.04612299,
    (51.5, -0.14): 0.03138298,
    (9.05, 38.7): 2.53986188,
}
"""Altitude of the surface above mean sea level, P.1511-2."""
