import type { ProductFunction } from '../call.ts';
import { annulApproval } from './annul-approval.ts';
import { completeSettlement } from './complete-settlement.ts';
import { createRequest } from './create.ts';
import { showDetails } from './details.ts';
import { decideInvoice, readInvoice, sendInvoice } from './invoice.ts';
import { liftIbanWait } from './lift-iban-wait.ts';
import { listRequests } from './list.ts';
import { attachProof, readProof } from './proof.ts';
import { returnPayment } from './return-payment.ts';
import { updateRequestStatus } from './update-status.ts';

/** F-08, F-09, F-10: a client asks for what they earned and follows it; the admin decides. */
export default {
  list: { callers: ['client'], run: listRequests },
  create: { callers: ['client'], run: createRequest },
  details: { callers: ['client', 'admin'], run: showDetails },
  update_status: { callers: ['admin'], scope: 'payments', run: updateRequestStatus },
  annul_approval: { callers: ['admin'], run: annulApproval },
  complete_settlement: { callers: ['admin'], run: completeSettlement },
  lift_iban_wait: { callers: ['admin'], run: liftIbanWait },
  attach_proof: { callers: ['admin'], run: attachProof },
  proof: { callers: ['admin', 'client'], run: readProof },
  send_invoice: { callers: ['client', 'commercial'], run: sendInvoice },
  invoice: { callers: ['admin', 'client', 'commercial', 'comptable'], run: readInvoice },
  decide_invoice: { callers: ['admin'], run: decideInvoice },
  return: { callers: ['admin'], run: returnPayment },
} satisfies ProductFunction;
