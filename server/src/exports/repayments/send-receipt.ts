import { Failure } from '@parrain/domain/failure';
import type { FastifyReply, FastifyRequest } from 'fastify';

import type { Identity } from '#platform/database';
import type { Services } from '#platform/services';

import type { PdfThread } from '../pdf/pdf-thread.ts';
import { recordExport } from '../record-export.ts';
import { sendFile } from '../send-file.ts';
import { receiptPaper } from './receipt-paper.ts';
import type { Repayment } from './receipt-paper.ts';

type Asked = {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly identity: Identity;
  readonly pdfs: PdfThread;
  readonly actId: string;
};

const REPAYMENT = `
  select t.id, t.payee_id, p.full_name as name, p.role, t.amount::text as amount, t.debt_before::text as debt, t.at, t.created_at, t.method, t.reference,
    t.annulled_at, t.annulled_reason, c.company_name as company
  from public.debt_acts t join public.profiles p on p.id = t.payee_id cross join public.company_settings c
  where t.id = $1 and t.kind = 'repayment'`;

/** The receipt of a debt that was paid back (AC-05), for its payee, an admin or the accountant: row level security decides. */
export async function sendReceipt(services: Services, asked: Asked): Promise<void> {
  const { request, reply, identity, pdfs, actId } = asked;
  const repayment = await services.longReadings.withRequest({ requestId: request.id }).transactionAs(
    identity,
    async (tx) => {
      await tx.query('select private.read_as_accountant()');
      return (await tx.query<Repayment>(REPAYMENT, [actId])).rows[0];
    },
    { readOnly: true },
  );
  if (repayment === undefined) throw new Failure('not_found');
  const bytes = await pdfs.make(receiptPaper(repayment));
  await recordExport(request, identity, ['repayment', 'pdf', 1]);
  await sendFile(reply, {
    name: `Reçu de remboursement ${repayment.id.slice(0, 8)}.pdf`,
    type: 'application/pdf',
    length: bytes.length,
    parts: [bytes],
  });
}
