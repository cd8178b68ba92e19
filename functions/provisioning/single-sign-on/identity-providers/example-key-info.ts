/** A key as identity providers have it, for examples: one that they would refuse cannot be tried out. */
export const exampleKeyInfo = [
  '<KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>',
  "MIICtTCCAZ0CFCqmHLggwLG/QI1TaeuvQ81EBm8hMA0GCSqGSIb3DQEBCwUAMBYxFDASBgNVBAMMC2lkcC5leGFtcGxlMCAXDTI2MTEyMjE3",
  "MDMxOFoYDzIxMjYxMDI5MTcwMzE4WjAWMRQwEgYDVQQDDAtpZHAuZXhhbXBsZTCCASIwDQYJKoZIhvcNAQEBBQADggEPADCCAQoCggEBAMqc",
  "Jl425owKecS7yZe2w3P1CmpABFXmB9fHzgnSfWXidRwfP5Jhonng2VpcxfBmOREX2oa5ozJv0FhqbAdcXka0T0nUjCjYNgAFLhcMpZ58vjbC",
  "pud5HDGzIiW24nkyqurBmTBhJIkq6LsM2fR14TACBvLqmdvNygDYHdBUuz2OGgSuTNkWViYheBUQrAJZLcQwSerjLwrZ3d8h9k0CaxjWEJ7z",
  "DCFOBLB9n3A75ex3tFr7RZYgEy5fLqoN5UtciiSC2dVYvKSdg02qJgVs61gWIfGspWVomae1jb/zhmAEEnNsp/izMeFE5cKhJcj5M9aRc50x",
  "aLaiN4D7zs7yEE0CAwEAATANBgkqhkiG9w0BAQsFAAOCAQEAnj5m5TC0Yf+tBkMPy3UCH3cpX4eLiusvixiM/+BCJ9h5t8t9bkIU8uzBvKir",
  "ClvzjaKZgCi1YV3AwGVuGtFeNEqBYJQbUczZUbFObKu1eUU91OgOs1fpkBaftb/WyRddCl4fffkcC2uGz5gnaWyU9QFlSerGtNgiQ71iASNO",
  "m9igtcxpfanonuCB1NbFvCt+D0zSor/umDcMXRLZb13huIKb3DVqWAKYhVbvbdzcATrArhF39+u5TsLYxqGdDrmv+tl10HbMtOnbbM4hBHKc",
  "KARIzTs9d59MSM3B0x4YmNFF71HEGjMUfheYPL1e5heGkXg7bYEEVkeAnI99gqU2Fg==",
  "</X509Certificate></X509Data></KeyInfo>",
].join("");
