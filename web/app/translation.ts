import { french } from '@parrain/domain/typography';

type Values = Readonly<Record<string, string | number>>;

/**
 * Stands for `react-i18next` in the build (vite.config.ts): the same hook, without i18next on a page's first load. The French
 * text is the key and no language has resources (I-01), so a text is ready before i18next is; from then on i18next is asked.
 */
export function useTranslation(): { t: typeof translate } {
  return translation;
}

const translation = { t: translate };
let translator = (key: string, values: Values | undefined): string =>
  french(key.replace(/\{\{(?<name>\w+)\}\}/gu, (whole, name: string) => String(values?.[name] ?? whole)));

function translate(key: string, values?: Values): string {
  if (values !== undefined) return translator(key, values);
  const known = sentences.get(key);
  if (known !== undefined) return known;
  const sentence = translator(key, undefined);
  sentences.set(key, sentence);
  return sentence;
}

/** The texts without values, each translated once: a table of rows asks hundreds of times, and i18next takes its time for each. */
const sentences = new Map<string, string>();

/** Brings i18next once the page has nothing else to do. Where it does not come, a page left meanwhile, the texts stand. */
export async function startTranslation(): Promise<void> {
  try {
    const { i18n } = await import('./i18n.ts');
    translator = (key, values) => i18n.t(key, { ...values });
    sentences.clear();
  } catch {
    // French is the key itself.
  }
}
