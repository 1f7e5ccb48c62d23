import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { formatEuros } from '@parrain/domain/money';
import { paymentMethodLabel } from '@parrain/domain/payment-request';
import type { Role } from '@parrain/domain/role';
import { useQuery } from '@tanstack/react-query';
import clsx from 'clsx';
import {
  BriefcaseBusiness,
  CircleUserRound,
  Download,
  Keyboard,
  Landmark,
  LogOut,
  ReceiptText,
  Search,
  Settings2,
} from 'lucide-react';
import { useDeferredValue, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { signOut } from '#api/transport/session';
import { findAnythingQuery, findLengthMin, type Found } from '#api/company/find-anything';
import { backdropClass, modalClass } from '#ui/dialog';
import { optionClass } from '#ui/popup-class';
import { PaymentRequestStatus } from '../parts/payment-request-status.tsx';
import { SaleStatus } from '../parts/sale-status.tsx';
import { registry, type Action } from './actions.tsx';
import { countText } from '../parts/count-text.ts';
import { fitOfEntry } from './fit.ts';
import { runAction } from './run-action.ts';
import type { Section, SectionProps } from './sections.ts';
import type { Shown } from './hands.tsx';
import {
  exportAction,
  exportSpots,
  isExport,
  spots,
  wordsOfActions,
  wordsOfExports,
  wordsOfSections,
  type Spot,
} from './spots.ts';

export interface PaletteProps {
  role: Role;
  sections: readonly Section[];
  actions: readonly Action[];
  current: string;
  openSection: SectionProps['openSection'];
  onClose: () => void;
  onShow: (shown: Shown) => void;
}

interface Entry {
  id: string;
  label: string;
  icon: ReactNode;
  /** Words that are looked for where the label says another. */
  also?: string | undefined;
  detail?: ReactNode;
  end?: ReactNode;
  run: () => void;
}

interface EntryGroup {
  label: string;
  items: readonly Entry[];
}

/**
 * NV-03: one box leads to any section, runs any action, finds any person, sale or request. Results stay until the next ones
 * have come; an answer to what is no longer asked is dropped.
 */
export function Palette({ role, sections, actions, current, openSection, onClose, onShow }: PaletteProps) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState('');
  // The focus goes back there: a panel's own, which no Tab reaches, included.
  const [opener] = useState(() => (document.activeElement instanceof HTMLElement ? document.activeElement : true));
  const asked = useDeferredValue(typed.trim());
  const found = useQuery(findAnythingQuery(asked));
  const isAnyAsked = asked !== '';
  const isAsking = asked.length >= findLengthMin;
  // After the palette has left: what opens takes the focus.
  const leave = (run: () => void) => () => {
    onClose();
    run();
  };
  // Those of a panel come before those of the page under it.
  const [ready] = useState(() => registry.ready.toReversed());
  const offered: readonly Action[] = [
    ...ready.filter(({ id }) => !isExport(id)),
    ...actions.filter((action) => ready.every(({ id }) => id !== action.id)),
  ];
  const groups: EntryGroup[] = [
    {
      label: t('Actions'),
      items: offered.map((action) => ({
        id: `action:${action.id}`,
        label: t(action.label),
        also: wordsOfActions[action.id],
        icon: action.icon,
        end: <Letter keys={action.letter} />,
        run: leave(() => runAction(action, openSection)),
      })),
    },
    {
      label: t('Sections'),
      items: sections.map(({ id, label, icon, letter }) => ({
        id: `section:${id}`,
        label: t(label),
        also: wordsOfSections[role][id],
        icon,
        detail: id === current ? t('Vous y êtes') : undefined,
        end: <Letter keys={letter && `g ${letter}`} />,
        run: leave(() => openSection(id)),
      })),
    },
    {
      label: t('Réglages'),
      items: isAnyAsked
        ? settingEntries(role, sections, t, (spot) => leave(() => openSection(spot.section, spot.detail)))
        : [],
    },
    {
      label: t('Exports'),
      items: isAnyAsked ? exportEntries(role, ready, t, (action) => leave(() => runAction(action, openSection))) : [],
    },
    {
      label: t('Aide'),
      items: [
        {
          id: 'help:shortcuts',
          label: t('Raccourcis clavier'),
          icon: <Keyboard aria-hidden />,
          end: <Letter keys="?" />,
          run: () => onShow('shortcuts'),
        },
        {
          id: 'help:sign-out',
          label: t('Déconnexion'),
          also: 'se déconnecter quitter fermer session sortir',
          icon: <LogOut aria-hidden />,
          run: leave(() => void signOut()),
        },
      ],
    },
  ];
  // The best answer comes first, with its group.
  const local = groups
    .map(({ label, items }) => ({ label, ...fitting(items, asked) }))
    .toSorted((a, b) => b.best - a.best);
  const records = isAsking
    ? recordGroups(found.data ?? [], role, t, (section, detail) => leave(() => openSection(section, detail)))
    : [];
  // The menu answers at once and stays first: records, which come later, never move what Enter would run.
  const shown = [...local, ...records].filter(({ items }) => items.length > 0);
  const count = shown.reduce((sum, { items }) => sum + items.length, 0);
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop forceRender className={clsx(backdropClass, 'z-60!')} />
        <Dialog.Viewport className="fixed inset-0 z-60 flex items-start justify-center sm:p-6 sm:pt-[12dvh] safe-sides">
          <Dialog.Popup
            finalFocus={() => opener}
            aria-label={t('Rechercher partout')}
            className={clsx(
              modalClass,
              'max-sm:h-dvh! max-sm:max-h-dvh! max-sm:rounded-none! sm:max-h-[70dvh]! sm:max-w-2xl',
            )}
          >
            <Autocomplete.Root
              items={shown}
              value={typed}
              onValueChange={(text, { reason }) => {
                if (reason !== 'item-press') setTyped(text);
              }}
              itemToStringValue={({ label }) => label}
              mode="none"
              filter={null}
              autoHighlight="always"
              keepHighlight
              inline
              open
            >
              <div className="flex items-center gap-3 border-b border-hairline px-4">
                <Search aria-hidden className="size-4.5 shrink-0 text-encre-faint" />
                <Autocomplete.Input
                  aria-label={t('Rechercher une section, une action, une personne, un contrat')}
                  placeholder={t('Section, action, personne, contrat…')}
                  className="h-14 min-w-0 flex-1 bg-transparent text-base outline-none placeholder:text-encre-faint"
                />
                <Dialog.Close className="tap-target rounded-[6px] border border-edge/60 px-2 text-xs/6 text-encre-soft hover:bg-well">
                  {t('Fermer')}
                </Dialog.Close>
              </div>
              <div className="min-h-0 grow overflow-y-auto p-2" aria-busy={found.isFetching || undefined}>
                <Autocomplete.List aria-label={t('Résultats')} className="empty:hidden">
                  {(group: EntryGroup) => (
                    <Autocomplete.Group key={group.label} items={group.items} className="pb-2">
                      <Autocomplete.GroupLabel className="px-3 pt-2 pb-1 text-xs font-medium text-encre-faint">
                        {group.label}
                      </Autocomplete.GroupLabel>
                      <Autocomplete.Collection>
                        {(entry: Entry) => (
                          <Autocomplete.Item
                            key={entry.id}
                            value={entry}
                            onClick={entry.run}
                            className={`${optionClass} flex items-center gap-3 px-3 py-2 [&>svg]:size-4.5 [&>svg]:shrink-0 [&>svg]:text-encre-faint`}
                          >
                            {entry.icon}
                            <span className="min-w-0 flex-1">
                              <span className="block truncate">{entry.label}</span>
                              {entry.detail && (
                                <span className="block truncate text-sm text-encre-faint">{entry.detail}</span>
                              )}
                            </span>
                            {entry.end}
                          </Autocomplete.Item>
                        )}
                      </Autocomplete.Collection>
                    </Autocomplete.Group>
                  )}
                </Autocomplete.List>
                {count === 0 && !found.isFetching && !found.isError && (
                  <p className="px-3 py-6 text-center text-encre-soft">
                    {isAsking
                      ? t('Rien ne correspond à « {{text}} ».', { text: asked })
                      : t('Tapez au moins trois lettres pour chercher une personne ou un contrat.')}
                  </p>
                )}
                {isAsking && found.isError && (
                  <p className="px-3 py-3 text-sm text-danger">
                    {t('Les personnes et les contrats n’ont pas pu être cherchés. Vérifiez votre connexion.')}
                  </p>
                )}
              </div>
            </Autocomplete.Root>
            <p role="status" className="sr-only">
              {asked !== '' && !found.isFetching && countText(count, t('résultat'), t('résultats'))}
            </p>
          </Dialog.Popup>
        </Dialog.Viewport>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** The best first, and how well it answers; all of them, all alike, where nothing is asked. */
function fitting(items: readonly Entry[], asked: string): { items: readonly Entry[]; best: number } {
  if (asked === '') return { items, best: 0 };
  const scored = items
    .map((entry) => ({ entry, score: fitOfEntry(entry, asked, entry.id.startsWith('section:') ? 0.8 : 0.85) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score);
  return { items: scored.map(({ entry }) => entry), best: scored[0]?.score ?? 0 };
}

function settingEntries(
  role: Role,
  sections: readonly Section[],
  t: (text: string) => string,
  open: (spot: Spot) => () => void,
): readonly Entry[] {
  return spots[role].map((spot) => ({
    id: `setting:${spot.section}:${Object.values(spot.detail).join()}`,
    label: t(spot.label),
    also: spot.also,
    icon: <Settings2 aria-hidden />,
    detail: t(sections.find(({ id }) => id === spot.section)?.label ?? ''),
    run: open(spot),
  }));
}

/** The lists of the role, then those that are on screen beside them. */
function exportEntries(
  role: Role,
  ready: readonly Action[],
  t: (text: string) => string,
  run: (action: Action) => () => void,
): readonly Entry[] {
  const lists = exportSpots[role].map(([list, section]): Action => ({ ...exportAction(list), icon: null, section }));
  return [...lists, ...ready.filter(({ id }) => isExport(id) && lists.every((list) => list.id !== id))].map(
    (action) => ({
      id: `action:${action.id}`,
      label: t(action.label),
      also: wordsOfExports,
      icon: <Download aria-hidden />,
      detail: t('Classeur Excel'),
      run: run(action),
    }),
  );
}

type Open = (section: string, detail?: Readonly<Record<string, string>>) => () => void;

function recordGroups(
  found: readonly Found[],
  role: Role,
  t: (text: string) => string,
  open: Open,
): readonly EntryGroup[] {
  const entries = (kinds: readonly Found['kind'][]) =>
    found
      .filter(({ kind }) => kinds.includes(kind))
      .map((one): Entry => ({
        id: `${one.kind}:${one.id}`,
        label: one.name,
        ...shownAs(one, role, t),
        run: open(...placeOf(one, role)),
      }));
  return [
    { label: t('Personnes'), items: entries(['commercial', 'client']) },
    { label: role === 'admin' ? t('Ventes') : t('Parrainages'), items: entries(['sale']) },
    { label: t('Demandes de paiement'), items: entries(['request']) },
  ];
}

function shownAs(one: Found, role: Role, t: (text: string) => string): Pick<Entry, 'icon' | 'detail' | 'end'> {
  switch (one.kind) {
    case 'commercial':
    case 'client':
      return {
        icon: one.kind === 'commercial' ? <BriefcaseBusiness aria-hidden /> : <CircleUserRound aria-hidden />,
        detail: one.detail ?? undefined,
        end: (
          <span className="shrink-0 text-sm text-encre-faint">
            {one.isActive ? t(one.kind === 'commercial' ? 'Commercial' : 'Client') : t('Désactivé')}
          </span>
        ),
      };
    case 'sale':
      return {
        icon: <ReceiptText aria-hidden />,
        detail: [one.amount === null ? null : formatEuros(one.amount), one.detail]
          .filter((part) => part !== null)
          .join(' · '),
        end: (
          <span className="shrink-0 text-right max-sm:max-w-36">
            <SaleStatus sale={one.sale} audience={role === 'comptable' ? 'admin' : role} />
          </span>
        ),
      };
    case 'request':
      return {
        icon: <Landmark aria-hidden />,
        detail: `${formatEuros(one.amount)} · ${t(paymentMethodLabel(one.method))}`,
        end: <PaymentRequestStatus status={one.status} />,
      };
  }
}

/** Place where a record is read: its panel where it has one, else its list with its name in the search box. */
function placeOf(one: Found, role: Role): [section: string, detail?: Readonly<Record<string, string>>] {
  if (one.kind === 'request')
    return role === 'admin' ? ['demandes-de-paiement', { demande: one.id }] : ['demandes-de-paiement'];
  if (one.kind === 'sale') {
    if (role === 'admin') return ['ventes', { vente: one.id }];
    if (role === 'commercial') return ['parrainages-recus', { recherche: one.name }];
    return [one.sale.adminValidated ? 'contrats-valides' : 'mes-parrainages'];
  }
  if (role !== 'admin') return ['mes-clients', { client: one.id }];
  return one.kind === 'commercial' ? ['commerciaux', { commercial: one.id }] : ['clients', { client: one.id }];
}

/** The keys that do the same. */
function Letter({ keys }: { keys: string | undefined }) {
  if (keys === undefined) return null;
  return (
    <kbd
      aria-hidden
      className="shrink-0 rounded-[6px] bg-well px-1.5 font-sans text-xs/5 text-encre-faint max-sm:hidden"
    >
      {keys.toUpperCase()}
    </kbd>
  );
}
