/** A provider's name, as people call it. */
export function providerName(provider: string): string {
  return providerNames[provider] ?? provider.slice(0, 1).toUpperCase() + provider.slice(1);
}

const providerNames: Readonly<Record<string, string>> = {
  azure: 'Microsoft',
  email: 'Adresse e-mail et mot de passe',
  github: 'GitHub',
  google: 'Google',
  linkedin: 'LinkedIn',
  microsoft: 'Microsoft',
  phone: 'Téléphone',
};
