import { Download } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { refusedLinesFile, type CheckedFile, type ImportChoice } from '#api/people/imports';
import { Button } from '#ui/button';
import { Checkbox } from '#ui/checkbox';
import { Notice } from '#ui/notice';
import { countText } from '../count-text.ts';
import { useDownload } from '../use-download.ts';
import { importWords } from './import-words.ts';

export interface ReviewStepProps {
  checked: CheckedFile;
  choice: ImportChoice;
  invites: boolean;
  /** None where nobody is invited, or no mail leaves the installation. */
  onInvitesChange: ((invites: boolean) => void) | undefined;
  error: string | undefined;
}

/** Review of an import: what the file would become, what is left out and why, and who is invited. */
export function ReviewStep({ checked, choice, invites, onInvitesChange, error }: ReviewStepProps) {
  const { t } = useTranslation();
  const { pending, start } = useDownload();
  const { ready, refused, preview, problems } = checked;
  const others = ready - preview.length;
  const [one, many] = importWords[choice.kind].ready;
  return (
    <div className="flex flex-col gap-5">
      {ready > 0 && (
        <section aria-labelledby="import-ready">
          <h3 id="import-ready" className="font-semibold">
            {countText(ready, t(one), t(many))}
          </h3>
          <ul className="mt-2 divide-y divide-hairline rounded-field border border-hairline px-4">
            {preview.map(({ line, name, email, phone, company, referrer }) => (
              <li key={line} className="py-2 break-words">
                {name}
                <span className="block text-sm text-encre-soft">
                  {[email, phone, company, referrer && t('parrain : {{referrer}}', { referrer })]
                    .filter(Boolean)
                    .join(' · ')}
                </span>
              </li>
            ))}
            {others > 0 && (
              <li className="py-2 text-sm text-encre-soft">
                {t('et {{clients}}', { clients: countText(others, t('autre'), t('autres')) })}
              </li>
            )}
          </ul>
        </section>
      )}
      {refused > 0 && (
        <section aria-labelledby="import-refused">
          <div className="flex flex-wrap items-center justify-between gap-2">
            <h3 id="import-refused" className="font-semibold">
              {countText(refused, t('ligne laissée de côté'), t('lignes laissées de côté'))}
            </h3>
            <Button
              size="sm"
              icon={<Download aria-hidden />}
              pending={pending !== undefined}
              onClick={() => void start('refused', () => refusedLinesFile(choice))}
            >
              {t('Télécharger ces lignes')}
            </Button>
          </div>
          <ul
            aria-labelledby="import-refused"
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a list that scrolls is reached by keyboard
            tabIndex={0}
            className="mt-2 max-h-60 divide-y divide-hairline overflow-y-auto rounded-field border border-hairline px-4"
          >
            {problems.map(({ line, problems: sentences }) => (
              <li key={line} className="flex gap-4 py-2">
                <span className="tabular-digits w-24 shrink-0 text-encre-soft">{t('Ligne {{line}}', { line })}</span>
                <span className="min-w-0 break-words">{sentences.join(', ')}</span>
              </li>
            ))}
            {refused > problems.length && (
              <li className="py-2 text-sm text-encre-soft">
                {t('Les {{count}} premières : le fichier à télécharger les a toutes.', { count: problems.length })}
              </li>
            )}
          </ul>
        </section>
      )}
      {ready === 0 && <Notice tone="warning">{t('Aucune ligne ne peut être importée telle quelle.')}</Notice>}
      {ready > 0 && onInvitesChange && (
        <Checkbox
          label={t('Envoyer à chacun son invitation')}
          description={t(
            'Un e-mail avec un mot de passe temporaire, 1\u202f800 par heure au plus. Sans invitation, chacun entre par « Mot de passe oublié ».',
          )}
          checked={invites}
          onChange={(event) => onInvitesChange(event.currentTarget.checked)}
        />
      )}
      {error && <Notice tone="error">{error}</Notice>}
    </div>
  );
}
