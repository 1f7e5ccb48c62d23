import { formatDate } from '@parrain/domain/date';
import { isTakingBack, paperKindLabels } from '@parrain/domain/paper';
import { statementPeriods, type StatementPeriod } from '@parrain/domain/statement';
import { useQuery } from '@tanstack/react-query';
import { FileArchive, FileText } from 'lucide-react';
import type { TFunction } from 'i18next';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { firstAccountLineQuery } from '#api/payments/first-account-line';
import { eInvoicesQuery, type EInvoice } from '#api/payments/e-invoices';
import { downloadPaper, papersQuery, type Paper } from '#api/payments/papers';
import { refresh } from '#api/transport/refresh';
import { firstPage } from '#api/transport/read-page';
import { Amount } from '#ui/amount';
import { Button } from '#ui/button';
import { Card } from '#ui/card';
import { Cell } from '#ui/cell';
import { DataTable, type DataColumn } from '#ui/data-table';
import { DateText } from '#ui/date';
import { EInvoiceCell } from './e-invoice-cell.tsx';
import { StaleNotice } from './stale-notice.tsx';
import { useDownload } from './use-download.ts';

/** Years whose papers are offered as one archive. */
const archivesMax = 2;

/** PP-02: the numbered papers of payments, of one payee or of everybody; nothing where there is none. */
export function Papers({ payeeId, className }: { payeeId: string | null; className?: string }) {
  const { t } = useTranslation();
  const { pending, start } = useDownload();
  const [page, setPage] = useState(firstPage);
  const [now] = useState(() => new Date());
  const papers = useQuery(papersQuery(payeeId, page));
  const first = useQuery({ ...firstAccountLineQuery(null), enabled: payeeId === null }).data;
  const invoices = useQuery(eInvoicesQuery(invoicesAmong(papers.data?.rows ?? []))).data;
  if (papers.data?.rowCount === 0 || papers.data === undefined) return null;
  const years = first ? statementPeriods('annee', first, now).slice(0, archivesMax) : [];
  const archive = (period: StatementPeriod) => (
    <Button
      key={period.name}
      size="sm"
      icon={<FileArchive aria-hidden />}
      pending={pending === period.name}
      onClick={() => void start(period.name, (signal) => downloadPaper({ period: period.name }, signal))}
    >
      {t('Pièces {{year}}', { year: period.name })}
    </Button>
  );
  const columns: readonly DataColumn<Paper>[] = [
    {
      id: 'piece',
      header: t('Pièce'),
      width: 'wide',
      card: 'title',
      cell: (paper) => (
        <Cell
          text={`${t(paperKindLabels[paper.kind])} ${paper.label}`}
          className="font-medium"
          second={[
            payeeId === null ? paper.payeeName : '',
            paper.quarter === null ? '' : t(paper.quarter),
            payeeId === null ? '' : leftOn(invoices?.get(paper.id), t),
          ]
            .filter(Boolean)
            .join(' · ')}
        />
      ),
    },
    {
      id: 'date',
      header: t('Établie le'),
      cell: (paper) => <DateText value={`${paper.issuedOn}T12:00:00Z`} className="whitespace-nowrap" />,
    },
    {
      id: 'montant',
      header: t('Montant'),
      align: 'right',
      cell: (paper) => <Amount cents={isTakingBack(paper.kind) ? -paper.amount : paper.amount} />,
    },
    ...(payeeId === null && invoices !== undefined && invoices.size > 0
      ? [
          {
            id: 'facture-electronique',
            header: t('Facture électronique'),
            cell: (paper: Paper) => <EInvoiceCell label={paper.label} invoice={invoices.get(paper.id)} />,
          },
        ]
      : []),
    {
      id: 'fichier',
      header: t('Fichier'),
      align: 'right',
      card: 'foot',
      cell: (paper) => (
        <Button
          size="sm"
          icon={<FileText aria-hidden />}
          pending={pending === paper.id}
          aria-label={t('PDF : {{label}}', { label: paper.label })}
          onClick={() => void start(paper.id, (signal) => downloadPaper({ id: paper.id }, signal))}
        >
          PDF
        </Button>
      ),
    },
  ];
  return (
    <Card className={className}>
      <StaleNotice query={papers} />
      <DataTable<Paper>
        title={t('Pièces de paiement')}
        caption={t('Pièces de paiement')}
        columns={columns}
        rows={papers.data.rows}
        rowKey={(paper) => paper.id}
        failed={papers.isLoadingError}
        onRetry={refresh}
        refreshing={papers.isPlaceholderData}
        server={{ page: papers.data, onMove: setPage }}
        toolbar={years.length > 0 && <div className="flex flex-wrap gap-2">{years.map(archive)}</div>}
        empty={null}
      />
    </Card>
  );
}

/** Papers that may leave as electronic invoices (EI-01). */
function invoicesAmong(papers: readonly Paper[]): string[] {
  return papers.filter(({ kind }) => kind === 'invoice' || kind === 'credit').map(({ id }) => id);
}

/** « transmise le 23 nov. 2026 », to its payee. */
function leftOn(invoice: EInvoice | undefined, t: TFunction): string {
  const at = invoice?.depositedAt ?? (invoice?.elsewhereOn ? `${invoice.elsewhereOn}T12:00:00Z` : null);
  return at === null || invoice?.state === 'refused' ? '' : t('transmise le {{day}}', { day: formatDate(at) });
}
