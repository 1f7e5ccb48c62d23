import { doubtComparedLabels, doubtfulCaseMoves, doubtRuleWords, type DoubtDecision } from '@parrain/domain/doubt';
import { formatEuros } from '@parrain/domain/money';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { doubtfulCaseQuery, type DoubtfulCase } from '#api/company/doubtful-cases';
import { namesQuery } from '#api/people/names';
import { Button } from '#ui/button';
import { DateText } from '#ui/date';
import { Facts } from '#ui/facts';
import { Notice } from '#ui/notice';
import { SidePanel, type Neighbours } from '#ui/side-panel';
import { AbsentRecord } from '../../parts/absent-record.tsx';
import { useLast } from '../../parts/use-last.ts';
import { AuditTimeline } from '../parts/audit-timeline.tsx';
import { PersonLink } from '../parts/person-link.tsx';
import { PlaceLink } from '../parts/place-link.tsx';
import { CaseDialog, decisionLabels } from './case-dialog.tsx';
import { CaseStatus } from './case-status.tsx';

export interface CasePanelProps {
  caseId: string | undefined;
  onClose: () => void;
  neighbours: Neighbours;
}

/** FD-01: one case with its reasons, its decision and its history. */
export function CasePanel({ caseId, onClose, neighbours }: CasePanelProps) {
  const { t } = useTranslation();
  const shownId = useLast(caseId);
  const found = useQuery({ ...doubtfulCaseQuery(shownId ?? ''), enabled: caseId !== undefined });
  const [decision, setDecision] = useState<DoubtDecision>();
  const seen = found.data;
  const moves = seen ? doubtfulCaseMoves[seen.status] : [];
  return (
    <SidePanel
      open={caseId !== undefined}
      onOpenChange={onClose}
      neighbours={neighbours}
      title={seen?.payee.name ?? t('Cas douteux')}
      subtitle={seen && <CaseStatus status={seen.status} />}
      footer={
        moves.length > 0 &&
        moves.map((move) => (
          <Button key={move} onClick={() => setDecision(move)}>
            {t(decisionLabels[move])}
          </Button>
        ))
      }
    >
      {seen === undefined ? (
        <AbsentRecord
          query={found}
          goneTitle={t('Ce cas n’existe plus')}
          goneDescription={t('Son délai est passé, ou la personne recommandée a demandé à être oubliée.')}
          onClose={onClose}
          loading={t('Chargement : cas douteux')}
          skeletons={['h-7 w-40', 'h-48 w-full']}
        />
      ) : (
        <div className="flex flex-col gap-7">
          <Decision seen={seen} />
          <Reasons seen={seen} />
          <section>
            <h3 className="mb-3 text-lg">{t('Historique')}</h3>
            <AuditTimeline entity="doubtful_cases" entityId={seen.id} />
          </section>
          {decision !== undefined && (
            <CaseDialog seen={seen} decision={decision} onClose={() => setDecision(undefined)} />
          )}
        </div>
      )}
    </SidePanel>
  );
}

function Decision({ seen }: { seen: DoubtfulCase }) {
  const { t } = useTranslation();
  const { data: names } = useQuery({ ...namesQuery([seen.decidedBy]), enabled: seen.decidedBy !== null });
  const { sale, request, payee } = seen;
  const subject =
    sale !== null
      ? {
          label: t('Parrainage'),
          to: `?section=ventes&vente=${sale.id}`,
          text: sale.contactName,
          next: t('Le parrainage peut être refusé, ou sa validation annulée, depuis la vente.'),
        }
      : request !== null
        ? {
            label: t('Demande de paiement'),
            to: `?section=demandes-de-paiement&demande=${request.id}`,
            text: formatEuros(request.amount),
            next: t('La demande peut être refusée depuis sa fiche.'),
          }
        : {
            label: t('Parrainages'),
            to: `?section=clients&client=${payee.id}`,
            text: t('Tous ceux de ce client'),
            next: t('Ses parrainages peuvent être refusés un à un, depuis sa fiche.'),
          };
  return (
    <section className="flex flex-col gap-4">
      {seen.reason !== null && (
        <Notice
          tone={seen.status === 'confirmed' ? 'error' : 'success'}
          title={seen.status === 'confirmed' ? t('Doute confirmé') : t('Rien à signaler')}
        >
          <p className="break-words whitespace-pre-line">« {seen.reason} »</p>
          {seen.status === 'confirmed' && <p className="mt-1">{subject.next}</p>}
        </Notice>
      )}
      <Facts
        items={[
          {
            label: t('Client'),
            value: (
              <PersonLink role="client" id={payee.id}>
                {payee.name}
              </PersonLink>
            ),
          },
          {
            label: subject.label,
            value: <PlaceLink to={{ search: subject.to }}>{subject.text}</PlaceLink>,
          },
          { label: t('Ouvert le'), value: <DateText value={seen.createdAt} withTime /> },
          ...(seen.decidedAt === null
            ? []
            : [
                { label: t('Décidé le'), value: <DateText value={seen.decidedAt} withTime /> },
                { label: t('Décidé par'), value: (seen.decidedBy !== null && names?.get(seen.decidedBy)) || '—' },
              ]),
        ]}
      />
    </section>
  );
}

function Reasons({ seen }: { seen: DoubtfulCase }) {
  const { t } = useTranslation();
  return (
    <section aria-labelledby="doubt-reasons">
      <h3 id="doubt-reasons" className="text-lg">
        {t('Raisons')}
      </h3>
      <p className="mb-3 text-sm text-encre-soft">
        {t('Une ressemblance n’est pas une preuve : une famille partage un téléphone, un couple un compte.')}
      </p>
      <ul className="divide-y divide-hairline rounded-field border border-hairline">
        {seen.reasons.map(({ id, rule, compared, person, foundAt }) => (
          <li key={id} className="px-4 py-3">
            <span className="font-medium break-words">{t(doubtRuleWords[rule].label)}</span>
            <span className="block text-sm text-encre-soft">
              {compared.map((one) => t(doubtComparedLabels[one])).join(' · ')}
              {person !== null && (
                <>
                  {' '}
                  {t('que')}{' '}
                  <PersonLink role={person.role} id={person.id}>
                    {person.name}
                  </PersonLink>
                </>
              )}
              {' · '}
              <DateText value={foundAt} withTime />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
