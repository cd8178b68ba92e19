/** Seconds for which the codes of providers are valid. */
export const providerCodeLifetimes = { activation: 86_400, passwordReset: 3600 };
