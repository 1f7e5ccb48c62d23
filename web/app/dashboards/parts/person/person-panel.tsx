import { formatEuros } from '@parrain/domain/money';
import { dialledPhone } from '@parrain/domain/phone';
import { roleLabels } from '@parrain/domain/role';
import { shortId } from '@parrain/domain/short-id';
import { useQuery } from '@tanstack/react-query';
import { CircleSlash } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { personQuery, type PersonBalance, type PersonDetail } from '#api/people/person';
import { Amount } from '#ui/amount';
import { Badge } from '#ui/badge';
import { DateText } from '#ui/date';
import { Facts, type Fact } from '#ui/facts';
import { Notice } from '#ui/notice';
import { SidePanel, type Neighbours } from '#ui/side-panel';
import { AbsentRecord } from '../absent-record.tsx';
import { EmailText } from '../email-text.tsx';
import { firstCallText } from '../first-call-text.ts';
import { percentText } from '../percent-text.ts';
import { useLast } from '../use-last.ts';
import { SumExplain } from '../sum-explain.tsx';
import { PersonStates, type PersonStatesProps } from './person-states.tsx';

export interface PersonPanelProps {
  personId: string | undefined;
  onClose: () => void;
  neighbours?: Neighbours | undefined;
  /** Actions on the person. */
  actions?: ((detail: PersonDetail) => ReactNode) | undefined;
  /** Further parts that the reader may see: referrals, requests, history. */
  more?: ((detail: PersonDetail) => ReactNode) | undefined;
  /** A client's commercial, where it leads somewhere. */
  commercialLink?: ((id: string, name: string) => ReactNode) | undefined;
  states: Omit<PersonStatesProps, 'states'> | ((detail: PersonDetail) => Omit<PersonStatesProps, 'states'>);
}

/** NV-02: all about a commercial or a client: who they are, what they have, what they brought in, what can be done. */
export function PersonPanel(props: PersonPanelProps) {
  const { personId, onClose, neighbours, actions, more, states } = props;
  const { t } = useTranslation();
  const shownId = useLast(personId);
  const query = useQuery({ ...personQuery(shownId ?? ''), enabled: personId !== undefined });
  const detail = query.data;
  return (
    <SidePanel
      open={personId !== undefined}
      onOpenChange={onClose}
      neighbours={neighbours}
      title={detail?.person.fullName ?? t('Fiche')}
      subtitle={
        shownId !== undefined && (
          <>
            {detail && `${t(roleLabels[detail.person.role])} · `}
            <span className="tabular-digits">{shortId(shownId)}</span>
          </>
        )
      }
      footer={detail && actions?.(detail)}
    >
      {detail === undefined ? (
        <AbsentRecord
          query={query}
          goneTitle={t('Ce compte n’existe plus')}
          goneDescription={t('Il a été supprimé, ou cette adresse ne mène à personne.')}
          onClose={onClose}
          loading={t('Chargement : fiche')}
          skeletons={['h-48 w-full', 'h-24 w-full', 'h-32 w-full']}
        />
      ) : (
        // Another person starts anew: pages and scroll are not theirs.
        <div key={detail.person.id} className="flex flex-col gap-7">
          <Identity {...props} detail={detail} />
          {detail.balance && <Balance balance={detail.balance} />}
          {detail.commercial && <CommercialFigures commercial={detail.commercial} />}
          <PersonStates states={detail.states} {...(typeof states === 'function' ? states(detail) : states)} />
          {more?.(detail)}
        </div>
      )}
    </SidePanel>
  );
}

function Identity({ detail, commercialLink }: PersonPanelProps & { detail: PersonDetail }) {
  const { t } = useTranslation();
  const { person, commercialName } = detail;
  const facts: Fact[] = [
    {
      label: t('E-mail'),
      value:
        person.email === '' ? (
          <Faint>{t('Non renseigné')}</Faint>
        ) : (
          <a href={`mailto:${person.email}`} className={linkClass}>
            <EmailText email={person.email} />
          </a>
        ),
    },
    {
      label: t('Téléphone'),
      value:
        person.phone === null ? (
          <Faint>{t('Non renseigné')}</Faint>
        ) : (
          <a href={`tel:${dialledPhone(person.phone)}`} className={`tabular-digits ${linkClass}`}>
            {person.phone}
          </a>
        ),
    },
  ];
  if (person.role === 'client') {
    const name = commercialName ?? t('Compte supprimé');
    facts.push(
      { label: t('Entreprise'), value: person.company ?? <Faint>{t('Non renseignée')}</Faint> },
      {
        label: t('Commercial'),
        value:
          person.commercialId === null ? (
            <Faint>{t('Aucun')}</Faint>
          ) : (
            (commercialLink?.(person.commercialId, name) ?? name)
          ),
      },
    );
  }
  facts.push({ label: t('Inscrit le'), value: <DateText value={person.createdAt} withTime /> });
  return (
    <section className="flex flex-col gap-3">
      {person.deactivatedAt !== null && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <Badge tone="neutral" icon={<CircleSlash aria-hidden />}>
            {t('Désactivé')}
          </Badge>
          <span className="text-sm text-encre-soft">
            {t('depuis le')} <DateText value={person.deactivatedAt} />
          </span>
        </div>
      )}
      <Facts items={facts} />
      {person.notes !== null && (
        <div>
          <h3 className="font-sans text-sm font-normal tracking-normal text-encre-soft">{t('Notes')}</h3>
          <p className="mt-0.5 break-words whitespace-pre-line">{person.notes}</p>
        </div>
      )}
    </section>
  );
}

/** Balance of a person: what was earned, what of it is asked for or paid, what is left. */
function Balance({ balance }: { balance: PersonBalance }) {
  const { t } = useTranslation();
  const terms = [
    { label: t('Gagné'), value: <Amount cents={balance.earned} /> },
    { label: t('Versé'), value: <Amount cents={-balance.paid} /> },
    { label: t('Demandé, pas encore versé'), value: <Amount cents={-balance.reserved} /> },
    ...(balance.repaid === 0n ? [] : [{ label: t('Remboursé'), value: <Amount cents={balance.repaid} /> }]),
    ...(balance.held === 0n
      ? []
      : [{ label: t('À venir, à la fin du délai'), value: <Amount cents={-balance.held} /> }]),
  ];
  const left = balance.earned + balance.repaid - balance.paid - balance.reserved - balance.held;
  const result = { label: left < 0n ? t('À rembourser') : t('Disponible'), value: <Amount cents={left} /> };
  return (
    <section aria-label={t('Solde')}>
      <h3 className="mb-3 flex flex-wrap items-center gap-x-2 text-lg">
        {t('Solde')}
        <SumExplain title={t('Solde')} lines={terms} result={result}>
          {t(
            'Chaque opération du compte y entre une fois : « Contrôle des comptes » les montre toutes. « Gagné » compte les ajustements et les dettes abandonnées.',
          )}
        </SumExplain>
      </h3>
      <Tiles
        items={[
          { label: t('Gagné'), cents: balance.earned },
          { label: t('Versé'), cents: balance.paid },
          { label: t('Demandé, pas encore versé'), cents: balance.reserved },
          { label: t('Disponible'), cents: balance.available },
          ...(balance.repaid === 0n ? [] : [{ label: t('Remboursé'), cents: balance.repaid }]),
          ...(balance.held === 0n ? [] : [{ label: t('À venir, à la fin du délai'), cents: balance.held }]),
        ]}
      />
      {balance.debt > 0n && (
        <Notice tone="warning" className="mt-3">
          {t('Il doit {{amount}} : un contrat déjà payé a été annulé.', { amount: formatEuros(balance.debt) })}
        </Notice>
      )}
    </section>
  );
}

function CommercialFigures({ commercial }: { commercial: NonNullable<PersonDetail['commercial']> }) {
  const { t } = useTranslation();
  return (
    <section aria-label={t('Activité')}>
      <h3 className="mb-3 text-lg">{t('Activité')}</h3>
      <Tiles
        items={[
          { label: t('Clients'), text: commercial.clientsCount.toLocaleString('fr-FR') },
          { label: t('Conversion'), text: percentText(commercial.conversion) },
          { label: t('Chiffre d’affaires'), cents: commercial.revenue },
          { label: t('Commissions acquises'), cents: commercial.commissions },
          { label: t('Premier appel, délai médian'), text: firstCallText(commercial.firstCallDays, t) },
          { label: t('À appeler'), text: commercial.waitingCount.toLocaleString('fr-FR') },
        ]}
      />
      <Facts
        className="mt-1"
        items={[
          {
            label: t('Dernière activité'),
            value:
              commercial.lastActivityAt === null ? (
                <Faint>{t('Jamais')}</Faint>
              ) : (
                <DateText value={commercial.lastActivityAt} withTime />
              ),
          },
          ...(commercial.waitingSince === null
            ? []
            : [
                {
                  label: commercial.isLate ? t('Premier appel attendu, en retard') : t('Premier appel attendu'),
                  value: (
                    <>
                      {t('depuis le')} <DateText value={commercial.waitingSince} />
                    </>
                  ),
                },
              ]),
        ]}
      />
    </section>
  );
}

type Tile = { label: string } & ({ cents: bigint } | { text: string });

function Tiles({ items }: { items: readonly Tile[] }) {
  return (
    <dl className="grid grid-cols-2 overflow-hidden rounded-field border border-hairline bg-hairline [gap:1px]">
      {items.map((item) => (
        <div key={item.label} className="min-w-0 bg-papier px-3.5 py-2.5 last:odd:col-span-2">
          <dt className="text-sm text-encre-soft">{item.label}</dt>
          <dd className="tabular-digits font-medium">{'cents' in item ? <Amount cents={item.cents} /> : item.text}</dd>
        </div>
      ))}
    </dl>
  );
}

function Faint({ children }: { children: ReactNode }) {
  return <span className="font-normal text-encre-faint">{children}</span>;
}

const linkClass = 'hover:text-sapin hover:underline';
