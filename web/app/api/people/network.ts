import { fromWire, type Cents } from '@parrain/domain/money';
import { saleStatuses, type SaleFacts } from '@parrain/domain/sale';
import { queryOptions } from '@tanstack/react-query';
import * as z from 'zod/mini';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { inTerms } from '../transport/read-page.ts';
import { rowsOf } from '../transport/read.ts';

/** A branch that opens: what stands under the company, a commercial (null: nobody's), one of their clients, or oneself. */
export type NetworkBranch =
  | { level: 'company' }
  | { level: 'commercial'; commercialId: string | null }
  | { level: 'client'; commercialId: string | null; referrerId: string }
  | { level: 'own' };

/** The sums of a branch: validated contracts, and what they brought. */
export interface NetworkTotals {
  referrals: number;
  contracts: number;
  revenue: Cents;
  commissions: Cents;
}

/** Someone of the network, or a referral of theirs (NW-01). */
export interface NetworkNode extends NetworkTotals {
  kind: 'commercial' | 'client' | 'referral';
  /** Null for the branch of nobody. */
  id: string | null;
  /** Null where the account is gone, or is not the reader's to see. */
  name: string | null;
  detail: string | null;
  isActive: boolean;
  /** Of a commercial. */
  clients: number | null;
  /** Of a referral. */
  sale: (SaleFacts & { rejectionReason: null }) | null;
}

const pageSize = 1000;

/** NW-01: the rows of one branch, by name, with the totals of each. */
export function networkBranchQuery(branch: NetworkBranch) {
  return queryOptions({ queryKey: ['network', branch], queryFn: () => readBranch(branch), ...live });
}

async function readBranch(branch: NetworkBranch): Promise<readonly NetworkNode[]> {
  const client = await supabase();
  const nodes: NetworkNode[] = [];
  for (;;) {
    const rows = rowsOf(
      await client
        .rpc('network_branch', {
          p_level: branch.level,
          p_commercial_id: 'commercialId' in branch ? branch.commercialId : null,
          p_referrer_id: 'referrerId' in branch ? branch.referrerId : null,
        })
        .order('kind')
        .order('name', { nullsFirst: false })
        .order('id')
        .range(nodes.length, nodes.length + pageSize - 1),
    ) as unknown[];
    nodes.push(...rows.map((row) => toDomain(nodeRow.parse(row))));
    if (rows.length < pageSize) return nodes;
  }
}

const amount = z.union([z.number(), z.string()]);
const nodeRow = z.object({
  kind: z.enum(['commercial', 'client', 'referral']),
  id: z.nullable(z.string()),
  name: z.nullable(z.string()),
  detail: z.nullable(z.string()),
  is_active: z.nullable(z.boolean()),
  clients: z.nullable(z.number()),
  referrals: z.nullable(z.number()),
  contracts: z.nullable(z.number()),
  revenue: amount,
  commissions: amount,
  status: z.nullable(z.enum(saleStatuses)),
  ready_for_validation: z.nullable(z.boolean()),
  admin_validated: z.nullable(z.boolean()),
  is_cancelled: z.nullable(z.boolean()),
});

function toDomain(row: z.infer<typeof nodeRow>): NetworkNode {
  const isSigned = row.admin_validated === true && row.is_cancelled !== true;
  return {
    kind: row.kind,
    id: row.id,
    name: row.name,
    detail: row.detail,
    isActive: row.is_active !== false,
    clients: row.clients,
    referrals: row.referrals ?? 1,
    contracts: row.contracts ?? (isSigned ? 1 : 0),
    revenue: fromWire(row.revenue),
    commissions: fromWire(row.commissions),
    sale:
      row.status === null
        ? null
        : {
            status: row.status,
            readyForValidation: row.ready_for_validation === true,
            adminValidated: row.admin_validated === true,
            // A sale that was taken back reads as its correction: « Validation annulée ».
            correctsSaleId: row.is_cancelled === true ? row.id : null,
            rejectionReason: null,
          },
  };
}

/** A person or a contact that a search found, with the ids that lead to them. */
export interface NetworkFind {
  kind: NetworkNode['kind'];
  id: string;
  name: string;
  detail: string | null;
  commercialId: string | null;
  referrerId: string | null;
}

const findsMax = 8;

/** NW-01: the people and the contacts whose name or e-mail has this text. */
export function networkSearchQuery(text: string) {
  return queryOptions({ queryKey: ['network', 'search', text], queryFn: () => search(text), enabled: text !== '' });
}

async function search(text: string): Promise<readonly NetworkFind[]> {
  const client = await supabase();
  const typed = inTerms(text);
  const [people, contacts] = await Promise.all([
    client
      .from('profiles')
      .select('id,full_name,email,role,commercial_id')
      .in('role', ['commercial', 'client'])
      .or(typed)
      .order('full_name')
      .limit(findsMax),
    client
      .from('sales')
      .select('id,referred_contact_name,referred_contact_email,commercial_id,friend_referrer_id,client_referrer_id')
      .is('corrects_sale_id', null)
      .or(typed)
      .order('referred_contact_name')
      .limit(findsMax),
  ]);
  return [
    ...rowsOf(people).map((row): NetworkFind => {
      const person = personRow.parse(row);
      const { role, id, full_name: name, email: detail, commercial_id: commercialId } = person;
      return role === 'commercial'
        ? { kind: role, id, name, detail, commercialId: id, referrerId: null }
        : { kind: role, id, name, detail, commercialId, referrerId: id };
    }),
    ...rowsOf(contacts).map((row): NetworkFind => {
      const sale = contactRow.parse(row);
      return {
        kind: 'referral',
        id: sale.id,
        name: sale.referred_contact_name,
        detail: sale.referred_contact_email,
        commercialId: sale.commercial_id,
        referrerId: sale.friend_referrer_id ?? sale.client_referrer_id,
      };
    }),
  ];
}

const personRow = z.object({
  id: z.string(),
  full_name: z.string(),
  email: z.string(),
  role: z.enum(['commercial', 'client']),
  commercial_id: z.nullable(z.string()),
});
const contactRow = z.object({
  id: z.string(),
  referred_contact_name: z.string(),
  referred_contact_email: z.nullable(z.string()),
  commercial_id: z.nullable(z.string()),
  friend_referrer_id: z.nullable(z.string()),
  client_referrer_id: z.nullable(z.string()),
});
