import i18next from 'i18next';
import LanguageDetector from 'i18next-browser-languagedetector';
import { french } from '@parrain/domain/typography';

/**
 * The interface's language (I-01): default and fallback `en` with no resources filled, so that every key shows itself;
 * the keys are the French texts. Detection looks in this order and remembers in localStorage.
 */
export const i18n = i18next.createInstance();

void i18n
  .use(LanguageDetector)
  .use({ type: 'postProcessor', name: 'french', process: french })
  .init({
    fallbackLng: 'en',
    resources: {},
    // French sentences hold dots and colons: they are not paths.
    keySeparator: false,
    nsSeparator: false,
    initAsync: false,
    postProcess: ['french'],
    interpolation: { escapeValue: false },
    detection: {
      order: ['querystring', 'cookie', 'localStorage', 'sessionStorage', 'navigator', 'htmlTag'],
      caches: ['localStorage'],
    },
  });
