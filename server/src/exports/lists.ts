import { repaymentMethodLabel, repaymentMethods } from '@parrain/domain/debt';
import { auditEntityLabels, isAuditEntity } from '@parrain/domain/audit';
import { auditSentence } from '@parrain/domain/audit-words';
import type { AuditFacts, AuditSubject } from '@parrain/domain/audit-words';
import { commissionPeriodLabels, commissionPeriodStatuses } from '@parrain/domain/commission-period';
import { netTotals } from '@parrain/domain/exports';
import type { ExportedListName } from '@parrain/domain/exports';
import { mailFailureReason } from '@parrain/domain/mail-failure';
import { isPaymentAct, paidByLabel, paymentActLabels } from '@parrain/domain/payment-made';
import { ledgerAccountLabels, ledgerAccounts, ledgerActLabels, ledgerActs } from '@parrain/domain/ledger';
import { paymentMethodLabel, paymentRequestLabels, paymentRequestStatuses } from '@parrain/domain/payment-request';
import { batchLabels, batchLineLabels, batchLineStatuses, batchStatuses } from '@parrain/domain/payment-batch';
import { isRole, roleLabels } from '@parrain/domain/role';
import { fromWire } from '@parrain/domain/money';
import { mailGroupLabels, mailKindOf, mailState, mailStateLabels } from '@parrain/domain/sent-mail';
import { adminSaleLabel, clientSaleLabel, commercialSaleLabel, saleStatuses } from '@parrain/domain/sale';
import type { SaleFacts } from '@parrain/domain/sale';

/** Format of a column: amounts and counts are numbers with a total, a balance has none; a day and a moment are dates in France. */
export type ColumnKind = 'text' | 'amount' | 'balance' | 'count' | 'day' | 'moment';

export type ListColumn = {
  readonly label: string;
  readonly kind: ColumnKind;
  /** SQL of the value, over `t0`, a row of the list's relation, and the list's joins. */
  readonly sql: string;
  /** The French words of a stored value. */
  readonly words?: (value: string) => string;
};

/** Source and columns of a list. Its filters and its order are those of the request. */
export type ExportedList = {
  readonly relation: string;
  readonly joins?: string;
  readonly columns: readonly ListColumn[];
  /** Sums that its totals have besides those of its amounts. */
  readonly nets?: readonly ListColumn[];
};

const text = (label: string, sql: string, words?: ListColumn['words']): ListColumn => ({
  label,
  kind: 'text',
  sql,
  ...(words === undefined ? {} : { words }),
});
const amount = (label: string, sql: string): ListColumn => ({ label, kind: 'amount', sql });
const balance = (label: string, sql: string): ListColumn => ({ label, kind: 'balance', sql });
const count = (label: string, sql: string): ListColumn => ({ label, kind: 'count', sql });
const day = (label: string, sql: string): ListColumn => ({ label, kind: 'day', sql });
const moment = (label: string, sql: string): ListColumn => ({ label, kind: 'moment', sql });

/** The whole id: the eight characters that screens show may look like a number. */
const id = text('Identifiant', 't0.id');

const person = (alias: string, key: string): string => ` left join public.profiles ${alias} on ${alias}.id = ${key}`;

const withCommercial = person('commercial', 't0.commercial_id');
const withReferrers = person('friend', 't0.friend_referrer_id') + person('client', 't0.client_referrer_id');

/** M-02. */
const referrer = 'coalesce(friend.full_name, client.full_name)';
/** By it a list that comes back as a file names its clients again (DF-32). */
const referrerEmail = text('E-mail du parrain', 'coalesce(friend.email, client.email)');

type SaleWords = (sale: SaleFacts & { readonly rejectionReason: null }) => string;

/** The status as this audience reads it (S-01, S-05, S-07). A refusal's reason has a column of its own. */
function saleStatus(words: SaleWords): ListColumn {
  const known = new Map<string, string>();
  return text(
    'Statut',
    `concat_ws(' ', t0.status, t0.ready_for_validation, t0.admin_validated, t0.corrects_sale_id, t0.contract_left,
      case when t0.contract_left is not null then sign(t0.contract_amount) end)`,
    (value) => {
      const [word, isReady, isValidated, corrected = null, left = null, sign] = value.split(' ');
      const key = `${word} ${isReady} ${isValidated} ${corrected !== null} ${sign}`;
      const label =
        known.get(key) ??
        words({
          status: saleStatuses.find((status) => status === word) ?? 'pending',
          readyForValidation: isReady === 't',
          adminValidated: isValidated === 't',
          correctsSaleId: corrected,
          contractLeft: left === null ? null : fromWire(left),
          contractAmount: sign === '1' ? 1n : null,
          rejectionReason: null,
        });
      known.set(key, label);
      return label;
    },
  );
}

const contact = (name: string): readonly ListColumn[] => [
  text(name, 't0.referred_contact_name'),
  text('E-mail', 't0.referred_contact_email'),
  text('Téléphone', 't0.referred_contact_phone'),
];

/** Sums that annulments took off a sale, in whole or in part: a total of contracts is net of them (DF-15). */
const withAnnulments = ` left join (
    select corrects_sale_id, sum(contract_amount) as contract, sum(client_commission_amount + commercial_commission_amount) as commissions
    from public.sales where corrects_sale_id is not null group by corrects_sale_id) taken on taken.corrects_sale_id = t0.id`;

const saleOfAdmin: readonly ListColumn[] = [
  ...contact('Client'),
  text('Commercial', 'commercial.full_name'),
  text('Parrain', referrer),
  referrerEmail,
  amount('Montant', 't0.contract_amount'),
  saleStatus(adminSaleLabel),
  text('Raison', 'coalesce(t0.rejection_reason, t0.correction_reason)'),
  day('Date', 't0.created_at'),
  day('Validé le', 't0.validated_at'),
  amount('Commission client', 't0.client_commission_amount'),
  amount('Commission commercial', 't0.commercial_commission_amount'),
  text('Description', 't0.contract_description'),
  id,
];

/** A client's figures stand in `figures`, whatever list they are on. */
const withFigures = ' left join public.client_summaries figures on figures.id = t0.id';
const clientContact = [
  text('E-mail', 't0.email'),
  text('Téléphone', 't0.phone'),
  text('Entreprise', 't0.company'),
] as const;
const clientFigures = [
  count('Parrainages', 'figures.total_referrals'),
  count('Contrats signés', 'figures.signed_contracts'),
  amount('CA généré', 'figures.revenue_generated'),
] as const;
const clientOfAdmin: readonly ListColumn[] = [
  text('Nom', 't0.full_name'),
  ...clientContact,
  text('Commercial', 'commercial.full_name'),
  ...clientFigures,
  amount('Gagné', 'figures.earned'),
  day('Invité le', 't0.created_at'),
];
const clientOfCommercial: readonly ListColumn[] = [
  text('Client', 't0.full_name'),
  ...clientContact,
  ...clientFigures,
  day('Invité le', 't0.created_at'),
];

const requestStatus = text(
  'Statut',
  't0.status',
  (value) => paymentRequestLabels[paymentRequestStatuses.find((status) => status === value) ?? 'pending'],
);
const paymentMethod = text('Mode de paiement', 't0.payment_method', paymentMethodLabel);

/** Means of a payment, or of a debt that was paid back (AC-05). */
const accountMethodLabel = (method: string): string =>
  repaymentMethods.some((known) => known === method) ? repaymentMethodLabel(method) : paymentMethodLabel(method);

const account = (label: string, sql: string): ListColumn =>
  text(label, sql, (value) => {
    const known = ledgerAccounts.find((name) => name === value);
    return known === undefined ? value : ledgerAccountLabels[known];
  });

/** A payee's account from the first line to the last (LG-02). */
const accountLines: readonly ListColumn[] = [
  moment('Date', 't0.at'),
  text('Opération', 't0.act', (act) => {
    const known = ledgerActs.find((name) => name === act);
    return known === undefined ? act : ledgerActLabels[known];
  }),
  text('Contrat', 't0.contact_name'),
  text('Mode de paiement', 'coalesce(t0.payment_method, t0.repayment_method)', accountMethodLabel),
  text('Raison', 't0.reason'),
  amount('Mouvement', 't0.change'),
  balance('Disponible après', 't0.available'),
];

const auditActions: Readonly<Record<string, string>> = {
  insert: 'Création',
  update: 'Modification',
  delete: 'Suppression',
  read: 'Consultation',
  clean: 'Nettoyage',
  ask: 'Demande',
  export: 'Export',
  send: 'Envoi',
  reset_second_factor: 'Double authentification retirée',
  give_temporary_password: 'Nouveau mot de passe temporaire',
  view: 'Écran vu',
};

/** Joins for the current names in an audit entry: a friend, a person, a scale. */
const withNamesOfTrail =
  person('author', 't0.actor_id') +
  ` left join public.sales sold on sold.id = case t0.entity when 'sales' then t0.entity_id
      when 'commission_payments' then (coalesce(t0.after, t0.before) ->> 'sale_id')::uuid end
    left join public.payment_requests asked on asked.id = t0.entity_id and t0.entity = 'payment_requests'
    left join public.account_closure_requests closing on closing.id = t0.entity_id and t0.entity = 'account_closure_requests'
    left join public.commission_rates scale on scale.id = t0.entity_id and t0.entity = 'commission_rates'` +
  person(
    'about',
    `case t0.entity when 'profiles' then t0.entity_id when 'payment_requests' then asked.client_id
      when 'commission_payments' then (coalesce(t0.after, t0.before) ->> 'recipient_id')::uuid
      when 'account_closure_requests' then closing.profile_id end`,
  ) +
  person('given', `(t0.after ->> 'commercial_id')::uuid`) +
  person('referrer', `coalesce(t0.after ->> 'friend_referrer_id', t0.after ->> 'client_referrer_id')::uuid`);

const trailColumns: readonly ListColumn[] = [
  moment('Date', 't0.at'),
  text('Auteur', 'author.full_name'),
  text('Rôle', 't0.actor', (actor) => (isRole(actor) ? roleLabels[actor] : actor)),
  text(
    'Ce qui s’est passé',
    `jsonb_build_object('actorId', t0.actor_id, 'actorName', author.full_name, 'actor', t0.actor, 'entity', t0.entity,
      'entityId', t0.entity_id, 'action', t0.action, 'before', t0.before, 'after', t0.after,
      'contact', sold.referred_contact_name, 'person', about.full_name, 'commercial', given.full_name, 'referrer', referrer.full_name,
      'scale', scale.name,
      'amount', coalesce(sold.contract_amount, asked.amount)::text)`,
    (facts) => {
      const entry = JSON.parse(facts) as AuditFacts & AuditSubject;
      return auditSentence(entry, entry);
    },
  ),
  text('Objet', 't0.entity', (entity) => (isAuditEntity(entity) ? auditEntityLabels[entity] : entity)),
  text('Action', 't0.action', (action) => auditActions[action] ?? action),
  text('Avant', 't0.before'),
  text('Après', 't0.after'),
  text('Raison', 't0.reason'),
  text('Identifiant', 't0.entity_id'),
];

/** VAT paid on top of a request's amount, to a payee who charges it (PP-02). */
const vatColumns: readonly ListColumn[] = [
  amount('Taux de TVA', 't0.vat_rate'),
  amount('TVA', 't0.vat_amount'),
  amount('Total', 't0.amount + coalesce(t0.vat_amount, 0)'),
];

/** Every list that the screens show, by the name in the address of its export (EX-01). */
export const lists: Readonly<Record<ExportedListName, ExportedList>> = {
  // The admin's.
  sales: {
    relation: 'sales',
    joins: withCommercial + withReferrers + withAnnulments,
    columns: saleOfAdmin,
    nets: [
      amount(netTotals.contract, 't0.contract_amount + coalesce(taken.contract, 0)'),
      amount(
        netTotals.commissions,
        't0.client_commission_amount + t0.commercial_commission_amount + coalesce(taken.commissions, 0)',
      ),
    ],
  },
  'sales-to-validate': {
    relation: 'sales',
    joins: withCommercial + withReferrers,
    columns: saleOfAdmin,
  },
  'payment-requests': {
    relation: 'payment_requests',
    joins: person('client', 't0.client_id'),
    columns: [
      text('Client', 'client.full_name'),
      text('E-mail', 'client.email'),
      text('Téléphone', 'client.phone'),
      amount('Montant', 't0.amount'),
      paymentMethod,
      requestStatus,
      day('Demandée le', 't0.created_at'),
      day('Approuvée le', 't0.approved_at'),
      day('Payée le', 't0.paid_at'),
      day('Revenue le', 't0.returned_at'),
      text('Raison', 'coalesce(t0.rejection_reason, t0.approval_annulled_reason, t0.return_reason)'),
      text('Référence', 't0.settlement_reference'),
      text('Association', 't0.association_name'),
      text('RNA ou SIREN', 't0.association_number'),
      text('Notes', 't0.admin_notes'),
      ...vatColumns,
      id,
    ],
  },
  'payment-batches': {
    relation: 'batch_summaries',
    columns: [
      text('Numéro', 't0.number'),
      text('Statut', 't0.status', (value) => {
        const known = batchStatuses.find((status) => status === value);
        return known === undefined ? value : batchLabels[known];
      }),
      count('Lignes', 't0.lines'),
      count('Payées', 't0.paid'),
      count('Rejetées', 't0.rejected'),
      count('Revenues de la banque', 't0.returned'),
      amount('Montant', 't0.total'),
      day('Préparé le', 't0.created_at'),
      text('Préparé par', 't0.made_by_name'),
      day('Validé le', 't0.released_at'),
      text('Validé par', 't0.released_by_name'),
      text('Jour d’exécution', `to_char(t0.execution_on, 'DD/MM/YYYY')`),
      day('Payé le', 't0.settled_at'),
      id,
    ],
  },
  // With « Résultat » and « Motif » filled in, it is read back (PO-02).
  'batch-lines': {
    relation: 'batch_lines',
    columns: [
      text('Référence', 't0.reference'),
      text('Bénéficiaire', 't0.client_name'),
      text('Titulaire du compte', 't0.beneficiary'),
      text('IBAN', 't0.iban'),
      text('Mois', `to_char(t0.month, 'MM/YYYY')`),
      amount('Montant', 't0.amount'),
      text('Résultat', 't0.status', (value) => {
        const known = batchLineStatuses.find((status) => status === value);
        return known === undefined ? value : batchLineLabels[known];
      }),
      text('Motif', 't0.reason'),
    ],
  },
  'payments-made': {
    relation: 'payments_made',
    columns: [
      day('Date', 't0.at'),
      text('Bénéficiaire', 't0.payee_name'),
      text('Rôle', 't0.payee_role', (role) => (isRole(role) ? roleLabels[role] : role)),
      text('Opération', 't0.act', (act) => (isPaymentAct(act) ? paymentActLabels[act] : act)),
      text('Mode de paiement', 't0.method', paidByLabel),
      amount('Montant', 't0.amount'),
      text('Mois', `to_char(t0.month, 'MM/YYYY')`),
      text('Virement groupé', 't0.batch_number'),
      text('Référence', 't0.reference'),
      text('Motif', 't0.reason'),
      amount('TVA', 't0.vat_amount'),
      amount('Total payé', 't0.amount + coalesce(t0.vat_amount, 0)'),
      text('Identifiant', 't0.source_id'),
    ],
  },
  'commission-payments': {
    relation: 'commission_payments',
    joins: `${person('recipient', 't0.recipient_id')} left join public.sales sale on sale.id = t0.sale_id`,
    columns: [
      text('Bénéficiaire', 'recipient.full_name'),
      text('Part', 't0.type', (type) => (type === 'client' ? 'Client' : 'Commercial')),
      text('Vente', 'sale.referred_contact_name'),
      day('Date', 'coalesce(t0.paid_at, t0.created_at)'),
      amount('Montant', 't0.amount'),
      text('Identifiant de la vente', 't0.sale_id'),
    ],
  },
  // Columns of a month that the payroll needs (PO-05).
  'commission-periods': {
    relation: 'commission_periods',
    columns: [
      text('Mois', `to_char(t0.month, 'MM/YYYY')`),
      text('Commercial', 't0.full_name'),
      text('E-mail', 't0.email'),
      amount('Report des mois précédents', 't0.carried'),
      amount('Commissions du mois', 't0.moved'),
      amount('À payer', `case when t0.status in ('due', 'in_batch', 'paid') then t0.due else 0 end`),
      balance('Solde à la fin du mois', 't0.due'),
      text('État', 't0.status', (value) => {
        const known = commissionPeriodStatuses.find((status) => status === value);
        return known === undefined ? value : commissionPeriodLabels[known];
      }),
      day('Payé le', 't0.paid_at'),
      ...vatColumns.slice(0, 2),
      day('Revenu de la banque le', 't0.returned_at'),
      text('Motif de la banque', 't0.rejection'),
      text('Identifiant', 't0.payee_id'),
    ],
  },
  commercials: {
    relation: 'commercial_summaries',
    columns: [
      text('Nom', 't0.full_name'),
      text('E-mail', 't0.email'),
      text('Téléphone', 't0.phone'),
      count('Clients', 't0.clients'),
      count('Parrainages', 't0.referrals'),
      count('Contrats validés', 't0.contracts'),
      amount('CA', 't0.revenue'),
      amount('Commissions', 't0.commissions'),
      moment('Dernière activité', 't0.last_activity_at'),
      count('À appeler', 't0.waiting'),
      day('À appeler depuis le', 't0.waiting_since'),
      count('Premier appel, délai médian en jours', 't0.first_call_days'),
      day('Invité le', 't0.created_at'),
      day('Désactivé le', 't0.deactivated_at'),
      id,
    ],
  },
  clients: {
    relation: 'client_summaries',
    joins: withCommercial + withFigures,
    columns: [...clientOfAdmin, day('Désactivé le', 't0.deactivated_at'), text('Notes', 't0.notes'), id],
  },
  'sleeping-referrers': {
    relation: 'sleeping_referrers',
    joins: withCommercial + withFigures,
    columns: [...clientOfAdmin, day('Dernier parrainage', 't0.last_referral_at'), id],
  },
  'scale-months': {
    relation: 'scale_months',
    joins: `${withCommercial} left join public.commission_rates scale on scale.id = t0.commission_rate`,
    columns: [
      day('Mois', 't0.month'),
      text('Barème', 'scale.name'),
      text('Commercial', 'commercial.full_name'),
      count('Contrats', 't0.contracts'),
      amount('CA', 't0.revenue'),
      amount('Commissions clients', 't0.client_commissions'),
      amount('Commissions commerciaux', 't0.commercial_commissions'),
      amount(
        'Coût par contrat',
        'round((t0.client_commissions + t0.commercial_commissions) / nullif(t0.contracts, 0), 2)',
      ),
      text('Identifiant du barème', 't0.commission_rate'),
    ],
  },
  'audit-entries': { relation: 'audit_entries', joins: withNamesOfTrail, columns: trailColumns },
  'audit-entries-about': { relation: 'audit_entries_about', joins: withNamesOfTrail, columns: trailColumns },
  'account-lines': {
    relation: 'account_lines',
    joins: person('payee', 't0.payee_id'),
    columns: [
      text('Numéro', 't0.entry_id'),
      text('Bénéficiaire', 'payee.full_name'),
      ...accountLines,
      account('Compte débité', 't0.debit'),
      account('Compte crédité', 't0.credit'),
      balance('Montant', 't0.amount'),
      text('Référence', 't0.source_id'),
    ],
  },
  'payee-accounts': {
    relation: 'payee_accounts',
    columns: [
      text('Nom', 't0.full_name'),
      text('Rôle', 't0.role', (role) => (isRole(role) ? roleLabels[role] : role)),
      amount('Gagné', 't0.earned'),
      amount('Repris', 't0.reversed'),
      amount('Ajusté', 't0.adjusted'),
      amount('dont dette abandonnée', 't0.waived'),
      amount('Remboursé', 't0.repaid'),
      amount('À venir', 't0.held'),
      amount('Demandé', 't0.reserved'),
      amount('Payé', 't0.paid'),
      amount('Disponible', 't0.available'),
      id,
    ],
  },
  'sent-mails': {
    relation: 'sent_mails',
    columns: [
      moment('Date', 't0.created_at'),
      text('Destinataire', 't0.recipient_name'),
      text('E-mail', 't0.recipient'),
      text('Message', 't0.template', (template) => mailKindOf(template).label),
      text('Genre', 't0.template', (template) => mailGroupLabels[mailKindOf(template).group]),
      text('État', `concat_ws(' ', t0.status, t0.attempts)`, (value) => {
        const [status = '', attempts = ''] = value.split(' ');
        return mailStateLabels[mailState({ status, attempts: Number.parseInt(attempts, 10) })];
      }),
      moment('Depuis', 't0.status_since'),
      // The server's word of an earlier try is no news of a mail that left.
      text('Raison', `case when t0.status <> 'accepted' then t0.last_error end`, mailFailureReason),
      id,
    ],
  },
  // The proof that a client accepted the rules as they stood (CS-05).
  'accepted-rules': {
    relation: 'accepted_rules',
    columns: [
      text('Client', 't0.full_name'),
      text('E-mail', 't0.email'),
      text('Version', 't0.version'),
      moment('Acceptée le', 't0.accepted_at'),
      text('Empreinte SHA-256 du texte', 't0.sha256'),
      text('Identifiant du client', 't0.client_id'),
    ],
  },
  // The commercial's.
  'received-referrals': {
    relation: 'sales',
    joins: withReferrers,
    columns: [
      ...contact('Contact'),
      text('Parrain', referrer),
      referrerEmail,
      saleStatus(commercialSaleLabel),
      text('Raison', 't0.rejection_reason'),
      day('Reçu le', 't0.created_at'),
      amount('Montant', 't0.contract_amount'),
      text('Description', 't0.contract_description'),
      text('Notes', 't0.commercial_notes'),
      day('Validé le', 't0.validated_at'),
      id,
    ],
  },
  'commercial-contracts': {
    relation: 'sales',
    joins: withReferrers,
    columns: [
      text('Contrat', 't0.referred_contact_name'),
      text('Client', referrer),
      amount('Montant', 't0.contract_amount'),
      amount('Commission', 't0.commercial_commission_amount'),
      saleStatus(commercialSaleLabel),
      day('Date', 'coalesce(t0.validated_at, t0.created_at)'),
      text('Description', 't0.contract_description'),
      id,
    ],
  },
  'client-summaries': {
    relation: 'client_summaries',
    joins: withFigures,
    columns: [...clientOfCommercial, text('Notes', 't0.notes'), id],
  },
  'own-sleeping-referrers': {
    relation: 'sleeping_referrers',
    joins: withFigures,
    columns: [...clientOfCommercial, day('Dernier parrainage', 't0.last_referral_at'), id],
  },
  // The client's.
  'own-referrals': {
    relation: 'sales',
    joins: withCommercial,
    columns: [
      ...contact('Ami'),
      text('Commercial', 'commercial.full_name'),
      saleStatus(clientSaleLabel),
      day('Invité le', 't0.created_at'),
      amount('Commission', 't0.client_commission_amount'),
      id,
    ],
  },
  'own-contracts': {
    relation: 'sales',
    joins: withCommercial,
    columns: [
      text('Contact', 't0.referred_contact_name'),
      text('Commercial', 'commercial.full_name'),
      amount('Montant', 't0.contract_amount'),
      day('Validé le', 't0.validated_at'),
      amount('Commission', 't0.client_commission_amount'),
      id,
    ],
  },
  'own-commissions': {
    relation: 'commission_payments',
    joins: ` left join public.sales sale on sale.id = t0.sale_id${person('commercial', 'sale.commercial_id')}`,
    columns: [
      text('Contact', 'sale.referred_contact_name'),
      text('Commercial', 'commercial.full_name'),
      day('Date de la vente', 'coalesce(sale.validated_at, t0.paid_at)'),
      amount('Commission', 't0.amount'),
      text('Identifiant de la vente', 't0.sale_id'),
    ],
  },
  'own-payment-requests': {
    relation: 'payment_requests',
    columns: [
      day('Demandée le', 't0.created_at'),
      paymentMethod,
      requestStatus,
      amount('Montant', 't0.amount'),
      day('Approuvée le', 't0.approved_at'),
      day('Payée le', 't0.paid_at'),
      text('Raison', 'coalesce(t0.rejection_reason, t0.approval_annulled_reason, t0.return_reason)'),
      ...vatColumns,
      id,
    ],
  },
  'own-account-lines': { relation: 'account_lines', columns: accountLines },
};
