import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import { Checkbox } from '#ui/checkbox';
import { Dialog } from '#ui/dialog';
import { useLettersChoice } from '#ui/letters';
import type { Action } from './actions.tsx';
import type { Section } from './sections.ts';

export interface ShortcutsDialogProps {
  sections: readonly Section[];
  actions: readonly Action[];
  onClose: () => void;
}

/** NV-10: every shortcut of the dashboard, and the switch that silences those of one letter (WCAG 2.1.4). */
export function ShortcutsDialog({ sections, actions, onClose }: ShortcutsDialogProps) {
  const { t } = useTranslation();
  const [areLettersOn, setLettersOn] = useLettersChoice();
  const groups: readonly { title: string; lines: readonly (readonly [keys: string, does: string])[] }[] = [
    {
      title: t('Partout'),
      lines: [
        ['Ctrl K', t('Rechercher partout (⌘ K sur un Mac)')],
        ['/', t('Chercher dans la liste')],
        ['?', t('Cette aide')],
        ['F6', t('Aller aux notifications')],
        [t('Échap'), t('Fermer ce qui est ouvert')],
      ],
    },
    {
      title: t('Dans une liste'),
      lines: [
        ['J', t('Ligne suivante, ou fiche suivante')],
        ['K', t('Ligne précédente, ou fiche précédente')],
        [t('Entrée'), t('Ouvrir la ligne')],
        ['X', t('Sélectionner la ligne (avec Maj : jusqu’à elle)')],
        ['S', t('Aller à ce qui se fait de la sélection')],
        ['V', t('Valider, sur la fiche d’un contrat qui attend')],
      ].filter(([keys]) => keys !== 'V' || sections.some(({ id }) => id === 'validations')) as [string, string][],
    },
    {
      title: t('Agir'),
      lines: actions.map(({ letter = '', label, section }) => [
        letter.toUpperCase(),
        `${t(label)} (${t(sections.find(({ id }) => id === section)?.label ?? '')})`,
      ]),
    },
    {
      title: t('Aller à'),
      lines: sections.flatMap(({ letter, label }) =>
        letter === undefined ? [] : [[`G ${letter.toUpperCase()}`, t(label)] as const],
      ),
    },
  ];
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t('Raccourcis clavier')}
      description={t('Inactifs pendant la saisie.')}
      size="lg"
    >
      <div className="flex flex-col gap-6">
        <Checkbox
          label={t('Raccourcis d’une seule touche')}
          description={t(
            'Sans eux restent Ctrl K, Entrée, Échap, F6, et J, K, X sur une ligne ou une fiche qui a le focus. Ce navigateur s’en souvient.',
          )}
          checked={areLettersOn}
          onChange={(event) => setLettersOn(event.target.checked)}
        />
        <div className="grid gap-x-8 gap-y-6 sm:grid-cols-2">
          {groups.map(({ title, lines }) => (
            <section key={title}>
              <h3 className="mb-2 text-base">{title}</h3>
              <dl className="grid grid-cols-[auto_1fr] items-baseline gap-x-3 gap-y-1.5 text-sm">
                {lines.map(([keys, does]) => (
                  <Fragment key={keys + does}>
                    <dt>
                      {keys.split(' ').map((key) => (
                        <kbd
                          key={key}
                          className="mr-1 inline-block min-w-6 rounded-[6px] bg-well px-1.5 text-center font-sans text-xs/5"
                        >
                          {key}
                        </kbd>
                      ))}
                    </dt>
                    <dd className="text-encre-soft">{does}</dd>
                  </Fragment>
                ))}
              </dl>
            </section>
          ))}
        </div>
      </div>
    </Dialog>
  );
}
