import { describe, expect, test } from 'vitest';
import { i18n } from './i18n.ts';

describe("[I-01] the interface's language", () => {
  test('[I-01] the fallback is en and no resource is filled', () => {
    expect(i18n.options.fallbackLng).toEqual(['en']);
    expect(i18n.options.resources).toEqual({});
    expect(i18n.languages).toContain('en');
  });

  test('[I-01] the look-up order is querystring, cookie, localStorage, sessionStorage, navigator, htmlTag; the cache is localStorage', () => {
    expect(i18n.options.detection).toMatchObject({
      order: ['querystring', 'cookie', 'localStorage', 'sessionStorage', 'navigator', 'htmlTag'],
      caches: ['localStorage'],
    });
  });

  test.each([
    'Se connecter',
    "Contrats d'affiliation",
    'Erreur: Session expirée, veuillez vous reconnecter',
    'Type de fichier non autorisé. Utilisez JPG, PNG, WEBP ou SVG.',
    'Refusé: {reason}',
  ])('[I-01] the French text is its own key, dots and colons included: %s', (text) => {
    expect(i18n.t(text)).toBe(text);
  });

  test('[I-01] only the spaces of French typography are put in: the words, accents and signs stay', () => {
    const shown = i18n.t('Compte créé avec succès ! Vous pouvez maintenant vous connecter.');
    expect(shown).toBe('Compte créé avec succès\u202f! Vous pouvez maintenant vous connecter.');
    expect(shown.replace(/\s/gu, ' ')).toBe('Compte créé avec succès ! Vous pouvez maintenant vous connecter.');
    expect(i18n.t('Mot de passe oublié ?')).toBe('Mot de passe oublié\u202f?');
    expect(i18n.t('Aucun résultat pour « Léa » : 10 %')).toBe('Aucun résultat pour «\u00a0Léa\u00a0»\u00a0: 10\u00a0%');
  });
});
