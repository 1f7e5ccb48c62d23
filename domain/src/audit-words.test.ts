import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { isAuditEntity } from './audit.ts';
import { auditActor, auditSentence, auditWords, type AuditFacts, type AuditSubject } from './audit-words.ts';

const entry = (facts: Partial<AuditFacts>): AuditFacts => ({
  actorId: '00000000-0000-4000-8000-000000000001',
  actorName: 'Claire Fontaine',
  actor: 'admin',
  entity: 'sales',
  entityId: '11111111-1111-4111-8111-111111111111',
  action: 'update',
  before: null,
  after: null,
  ...facts,
});

test.each([
  [{ after: { admin_validated: true, status: 'validated' } }, 'Contrat validé par l’administrateur'],
  [{ after: { status: 'rejected' } }, 'Parrainage refusé'],
  [{ after: { ready_for_validation: true } }, 'Contrat transmis pour validation'],
  [{ after: { status: 'contacted' } }, 'Statut changé : Contacté'],
  [{ action: 'insert', after: { corrects_sale_id: 'x' } }, 'Validation annulée par une écriture inverse'],
  [
    { action: 'insert', after: { corrects_sale_id: 'x', contract_left: 750, contract_amount: -250 } },
    'Contrat réduit à 750,00\u00a0€ par une écriture inverse',
  ],
  [
    { action: 'insert', after: { corrects_sale_id: 'x', contract_left: '1250.00', contract_amount: 250 } },
    'Contrat porté à 1\u202f250,00\u00a0€ par une écriture de plus',
  ],
  [
    { before: { ready_for_validation: true }, after: { status: 'in_negotiation', ready_for_validation: false } },
    'Correction demandée au commercial',
  ],
  [{ entity: 'payment_requests', after: { status: 'paid' } }, 'Demande payée'],
  [{ entity: 'payment_requests', action: 'read' }, 'Coordonnées de paiement consultées'],
  [{ entity: 'profiles', action: 'insert', after: { role: 'commercial' } }, 'Compte commercial créé'],
  [{ entity: 'profiles', after: { deactivated_at: '2026-11-21' } }, 'Compte désactivé'],
  [{ entity: 'account_closure_requests', after: { status: 'accepted' } }, 'Fermeture de compte acceptée'],
  [{ entity: 'api_keys', action: 'create', after: { name: 'CRM' } }, 'Clé d’API créée'],
  [{ entity: 'api_keys', action: 'revoke' }, 'Clé d’API révoquée'],
  [{ entity: 'disputes', before: { adjustment: null }, after: { adjustment: 12.5 } }, 'Compte ajusté'],
  [{ entity: 'disputes', before: { adjustment: 12.5 }, after: { adjustment: null } }, 'Ajustement annulé'],
  [
    { entity: 'paid_periods', action: 'insert', after: { month: '2026-10', amount: 120.5 } },
    'Commissions d’octobre 2026 payées',
  ],
  [
    {
      entity: 'paid_periods',
      action: 'update',
      before: { returned_at: null },
      after: { month: '2026-10', amount: 120.5 },
    },
    'Virement des commissions d’octobre 2026 revenu de la banque',
  ],
  [
    { entity: 'paid_periods', action: 'issue', after: { paper: 'F552100554-2026-0001' } },
    'Pièce F552100554-2026-0001 établie',
  ],
  [
    {
      entity: 'payment_requests',
      action: 'e_invoice',
      after: { paper: 'F552100554-2026-0001', e_invoice_status: '205' },
    },
    'Facture électronique F552100554-2026-0001 : Approuvée',
  ],
  [
    {
      entity: 'paid_periods',
      action: 'e_invoice',
      after: { paper: 'F552100554-2026-0001', e_invoice_status: 'deposited' },
    },
    'Facture électronique F552100554-2026-0001 : Déposée sur la plateforme',
  ],
  [{ entity: 'payment_requests', action: 'receive_invoice', after: {} }, 'Facture électronique rapprochée'],
  [{ entity: 'profiles', action: 'receive_invoice', after: { month: '2026-10' } }, 'Facture électronique rapprochée'],
  [
    { entity: 'profiles', action: 'tell_invoice', after: { e_invoice_status: '205', is_taken: true } },
    'Réponse acceptée par la plateforme : Approuvée',
  ],
  [
    { entity: 'profiles', action: 'answer_invoice_again', after: { e_invoice_status: '205' } },
    'Réponse à renvoyer à la plateforme : Approuvée',
  ],
  [
    { entity: 'company_settings', action: 'set_aside_supplier', after: { supplier_siren: '552081317' } },
    'Fournisseur écarté',
  ],
  [
    { entity: 'company_settings', action: 'restore_supplier', after: { supplier_siren: '552081317' } },
    'Fournisseur plus écarté',
  ],
  [
    { entity: 'payment_requests', action: 'tell_invoice', after: { e_invoice_status: '205', is_told: true } },
    'Réponse transmise à la plateforme : Approuvée',
  ],
  [
    { entity: 'company_settings', action: 'tell_invoice', after: { e_invoice_status: '210', is_told: false } },
    'Réponse refusée par la plateforme : Refusée',
  ],
  [{ entity: 'company_settings', action: 'refuse_received_invoice', after: {} }, 'Facture reçue refusée'],
  [{ entity: 'company_settings', action: 'set_aside_received_invoice', after: {} }, 'Facture reçue écartée'],
  [
    { entity: 'company_settings', before: { e_invoicing: null }, after: { e_invoicing: 'pa.example' } },
    'Plateforme agréée reliée',
  ],
  [
    { entity: 'company_settings', before: { e_invoicing_on: 'pa.example' }, after: { e_invoicing_on: null } },
    'Dépôt automatique des factures désactivé',
  ],
  [
    { entity: 'company_settings', before: { webhook: null }, after: { webhook: 'crm.example' } },
    'Webhook ajouté : crm.example',
  ],
  [{ entity: 'company_settings', before: { webhook: 'a.fr' }, after: { webhook: null } }, 'Webhook supprimé : a.fr'],
  [
    { entity: 'company_settings', before: { webhook_on: 'a.fr' }, after: { webhook_on: null } },
    'Webhook désactivé : a.fr',
  ],
  [{ entity: 'company_settings', action: 'clean' }, 'Données de test supprimées'],
  [
    { entity: 'company_settings', action: 'acknowledge_break', after: { entry: 1234 } },
    'Rupture du journal reconnue : écriture 1234',
  ],
  [
    { entity: 'exports', action: 'export', after: { list: 'sales', format: 'xlsx', rows: 1204 } },
    'Liste « Ventes » exportée : 1 204 lignes (Excel)',
  ],
  [
    { entity: 'exports', action: 'export', after: { list: 'dossier', format: 'zip', rows: 1204, period: '2025' } },
    'Export de « Dossier comptable » : Année 2025, 1 204 lignes (ZIP)',
  ],
  [
    { entity: 'exports', action: 'export', after: { list: 'journal', format: 'txt', rows: 1, period: '2026-11' } },
    'Export de « Journal comptable » : Novembre 2026, 1 ligne (FEC)',
  ],
  [
    { entity: 'exports', action: 'export', after: { list: 'journal', format: 'csv', rows: 2 } },
    'Export de « Journal comptable » : 2 lignes (CSV)',
  ],
  [
    { entity: 'exports', action: 'send', after: { list: 'dossier', period: '2025', recipients: 1 } },
    '« Dossier comptable » envoyé au comptable : Année 2025',
  ],
  [{ entity: 'profiles', action: 'insert', after: { role: 'comptable' } }, 'Compte comptable créé'],
  [{ entity: 'unknown_things', action: 'moved' }, 'unknown_things : moved'],
] satisfies [Partial<AuditFacts>, string][])('[X-03] %j reads « %s »', (facts, sentence) => {
  expect(auditWords(entry(facts)).sentence).toBe(sentence);
});

test('[X-03] amounts, rates and dates are said as on the screens, personal data stays masked', () => {
  const { changes } = auditWords(
    entry({
      before: { contract_amount: null, full_name: '•••', ready_for_validation: false },
      after: {
        contract_amount: 1234.56,
        full_name: '•••',
        ready_for_validation: true,
        client_commission_type: 'percentage',
        client_commission_rate: 10,
        client_commission_amount: 123.46,
        version: 4,
      },
    }),
  );
  expect(Object.fromEntries(changes.map((change) => [change.label, change.after]))).toEqual({
    'Montant du contrat': '1\u202f234,56\u00a0€',
    'Prêt à valider': 'oui',
    'Type côté client': 'Pourcentage',
    'Taux côté client': '10\u00a0%',
    'Commission client': '123,46\u00a0€',
  });
});

test('[X-03] who acted: a person, an account that is gone, or the server by itself', () => {
  expect(auditActor(entry({}))).toBe('Claire Fontaine');
  expect(auditActor(entry({ actorName: null, actor: 'commercial' }))).toBe('Commercial supprimé (00000000)');
  expect(auditActor(entry({ actorName: null, actorId: null, actor: 'demo company' }))).toBe('Système');
});

const subject: AuditSubject = {
  contact: 'Hélène Aubert',
  person: 'Arthur Lefèvre',
  commercial: 'Sophie Martin',
  referrer: 'Arthur Lefèvre',
  scale: 'Premium',
  amount: '12000.00',
};

const nobody: AuditSubject = {
  contact: null,
  person: null,
  commercial: null,
  referrer: null,
  scale: null,
  amount: null,
};

describe('[X-03] the journal says who did what, for whom', () => {
  test.each([
    [{ action: 'insert', actor: 'client', after: { status: 'pending' } }, 'Claire Fontaine a recommandé Hélène Aubert'],
    [
      { action: 'insert', after: { corrects_sale_id: 'x' } },
      'Claire Fontaine a annulé la validation du contrat d’Hélène Aubert',
    ],
    [{ action: 'delete' }, 'Claire Fontaine a supprimé la recommandation d’Hélène Aubert'],
    [
      { after: { admin_validated: true, status: 'validated' } },
      'Claire Fontaine a validé le contrat d’Hélène Aubert : 12 000,00 €',
    ],
    [
      {
        after: {
          admin_validated: true,
          client_commission_amount: 308.76,
          friend_referrer_id: 'x',
          commercial_commission_amount: '120.00',
          commercial_id: 'x',
        },
      },
      'Claire Fontaine a validé le contrat d’Hélène Aubert : 12 000,00 €, et crédité 308,76 € à Arthur Lefèvre et 120,00 € à Sophie Martin',
    ],
    [
      {
        after: {
          admin_validated: true,
          client_commission_amount: 0,
          commercial_commission_amount: 120,
          commercial_id: 'x',
        },
      },
      'Claire Fontaine a validé le contrat d’Hélène Aubert : 12 000,00 €, et crédité 120,00 € à Sophie Martin',
    ],
    [
      {
        action: 'insert',
        after: {
          corrects_sale_id: 'x',
          client_commission_amount: -308.76,
          client_referrer_id: 'x',
          commercial_commission_amount: -120,
          commercial_id: 'x',
        },
      },
      'Claire Fontaine a annulé la validation du contrat d’Hélène Aubert, et repris 308,76 € à Arthur Lefèvre et 120,00 € à Sophie Martin',
    ],
    [
      { before: { ready_for_validation: true }, after: { status: 'in_negotiation' } },
      'Claire Fontaine a demandé une correction du contrat d’Hélène Aubert',
    ],
    [
      {
        action: 'insert',
        after: {
          corrects_sale_id: 'x',
          contract_left: 1250,
          contract_amount: 250,
          client_commission_amount: 25,
          client_referrer_id: 'x',
        },
      },
      'Claire Fontaine a porté à 1 250,00 € le contrat d’Hélène Aubert, et crédité 25,00 € à Arthur Lefèvre',
    ],
    [{ after: { status: 'rejected' } }, 'Claire Fontaine a refusé le contrat d’Hélène Aubert'],
    [
      { actor: 'commercial', after: { status: 'rejected' } },
      'Claire Fontaine a refusé la recommandation d’Hélène Aubert',
    ],
    [
      { after: { ready_for_validation: true } },
      'Claire Fontaine a transmis pour validation le contrat d’Hélène Aubert : 12 000,00 €',
    ],
    [{ after: { status: 'contacted' } }, 'Claire Fontaine a passé Hélène Aubert à « Contacté »'],
    [{ after: { commercial_id: 'x' } }, 'Claire Fontaine a confié Hélène Aubert à Sophie Martin'],
    [{ after: { commercial_notes: 'x' } }, 'Claire Fontaine a modifié la recommandation d’Hélène Aubert'],
    [
      { entity: 'commission_payments', action: 'insert', after: { type: 'client', amount: 308.76 } },
      'Claire Fontaine a crédité 308,76 € à Arthur Lefèvre pour le contrat d’Hélène Aubert',
    ],
    [
      { entity: 'commission_payments', action: 'insert', after: { type: 'client', amount: -308.76 } },
      'Claire Fontaine a repris 308,76 € à Arthur Lefèvre pour le contrat d’Hélène Aubert',
    ],
    [
      { entity: 'commission_payments', action: 'delete', before: { amount: 308.76 } },
      'Claire Fontaine a supprimé une commission de 308,76 €',
    ],
    [
      { entity: 'commission_rates', action: 'insert', after: { name: 'Or' } },
      'Claire Fontaine a créé le barème « Or »',
    ],
    [
      { entity: 'commission_rates', after: { archived_at: '2026-11-21' } },
      'Claire Fontaine a archivé le barème « Premium »',
    ],
    [
      { entity: 'commission_rates', after: { is_default: true } },
      'Claire Fontaine a choisi le barème « Premium » par défaut',
    ],
    [
      { entity: 'commission_rates', after: { is_default: false } },
      'Claire Fontaine ne propose plus le barème « Premium » par défaut',
    ],
    [{ entity: 'commission_rates' }, 'Claire Fontaine a modifié le barème « Premium »'],
    [
      { entity: 'commission_rates', after: { version_to_come: 3, first_day: '2027-01-01' } },
      'Claire Fontaine a publié une version à venir pour le barème « Premium »',
    ],
    [
      { entity: 'commission_rates', before: { version_to_come: 3, first_day: '2027-01-01' } },
      'Claire Fontaine a retiré une version à venir pour le barème « Premium »',
    ],
    [
      { entity: 'commission_rates', action: 'delete', before: { name: 'Or' } },
      'Claire Fontaine a supprimé le barème « Or »',
    ],
    [
      { entity: 'payment_requests', action: 'insert', actor: 'client', after: { amount: 308.76 } },
      'Claire Fontaine a demandé le paiement de 308,76 €',
    ],
    [
      { entity: 'payment_requests', after: { status: 'approved' }, before: { status: 'pending', amount: 308.76 } },
      'Claire Fontaine a approuvé 308,76 € pour Arthur Lefèvre',
    ],
    [{ entity: 'payment_requests', after: { status: 'paid' } }, 'Claire Fontaine a payé 12 000,00 € à Arthur Lefèvre'],
    [
      { entity: 'payment_requests', after: { status: 'rejected' } },
      'Claire Fontaine a refusé 12 000,00 € à Arthur Lefèvre',
    ],
    [
      { entity: 'payment_requests', before: { status: 'approved' }, after: { status: 'pending' } },
      'Claire Fontaine a annulé l’approbation de 12 000,00 € pour Arthur Lefèvre',
    ],
    [
      { entity: 'payment_requests', action: 'read' },
      'Claire Fontaine a consulté les coordonnées de paiement d’Arthur Lefèvre',
    ],
    [
      { entity: 'payment_requests', action: 'delete', before: { amount: 10 } },
      'Claire Fontaine a supprimé une demande de paiement de 10,00 €',
    ],
    [{ entity: 'payment_requests' }, 'Claire Fontaine a modifié la demande de paiement d’Arthur Lefèvre'],
    [
      { entity: 'profiles', action: 'insert', after: { role: 'commercial' } },
      'Claire Fontaine a ouvert le compte commercial d’Arthur Lefèvre',
    ],
    [
      { entity: 'profiles', action: 'insert', after: { role: 'client' }, actorId: 'a', entityId: 'a' },
      'Claire Fontaine a ouvert son compte',
    ],
    [
      { entity: 'profiles', action: 'delete', before: { role: 'client' } },
      'Claire Fontaine a supprimé un compte client',
    ],
    [
      { entity: 'profiles', action: 'reset_second_factor' },
      'Claire Fontaine a retiré la double authentification d’Arthur Lefèvre',
    ],
    [
      { entity: 'profiles', action: 'give_temporary_password' },
      'Claire Fontaine a donné un nouveau mot de passe à Arthur Lefèvre',
    ],
    [{ entity: 'profiles', after: { deactivated_at: 'x' } }, 'Claire Fontaine a désactivé le compte d’Arthur Lefèvre'],
    [{ entity: 'profiles', after: { deactivated_at: null } }, 'Claire Fontaine a réactivé le compte d’Arthur Lefèvre'],
    [{ entity: 'profiles', after: { commercial_id: 'x' } }, 'Claire Fontaine a confié Arthur Lefèvre à Sophie Martin'],
    [{ entity: 'profiles', after: { phone: '•••' } }, 'Claire Fontaine a modifié le profil d’Arthur Lefèvre'],
    [{ entity: 'account_closure_requests', action: 'insert' }, 'Claire Fontaine a demandé la fermeture de son compte'],
    [
      { entity: 'account_closure_requests', after: { status: 'accepted' } },
      'Claire Fontaine a accepté la fermeture du compte d’Arthur Lefèvre',
    ],
    [
      { entity: 'account_closure_requests', after: { status: 'rejected' } },
      'Claire Fontaine a refusé la fermeture du compte d’Arthur Lefèvre',
    ],
    [
      { entity: 'account_closure_requests', after: { status: 'withdrawn' } },
      'Claire Fontaine a annulé sa demande de fermeture',
    ],
    [
      { entity: 'exports', action: 'export', after: { list: 'sales', format: 'csv', rows: 1 } },
      'Claire Fontaine a exporté la liste « Ventes » : 1 ligne (CSV)',
    ],
    [{ entity: 'company_settings', action: 'clean' }, 'Claire Fontaine a supprimé les données de test'],
    [
      { entity: 'company_settings', after: { company_name: 'Lumeo' } },
      'Claire Fontaine a donné à l’entreprise le nom « Lumeo »',
    ],
    [{ entity: 'company_settings', after: { brand_color: '#fff' } }, 'Claire Fontaine a changé la couleur des e-mails'],
    [{ entity: 'unknown_things', action: 'moved' }, 'Claire Fontaine a agi : unknown_things, moved'],
  ] satisfies [Partial<AuditFacts>, string][])('[X-03] %j reads « %s »', (facts, sentence) => {
    expect(auditSentence(entry(facts), subject).replaceAll(/[\u00a0\u202f]/gu, ' ')).toBe(sentence);
  });

  test('[X-03] who is erased is said to be, and the server speaks for itself', () => {
    const approved = { entity: 'payment_requests', before: { amount: 10 }, after: { status: 'approved' } };
    expect(auditSentence(entry({ ...approved, actorName: null }), nobody)).toBe(
      'Un administrateur dont le compte est supprimé a approuvé 10,00\u00a0€ pour un compte effacé',
    );
    expect(auditSentence(entry({ after: { status: 'contacted' }, actorName: null, actorId: null }), nobody)).toBe(
      'Parrain a passé une personne effacée à « Contacté »',
    );
    expect(auditSentence(entry({ action: 'delete' }), nobody)).toBe(
      'Claire Fontaine a supprimé la recommandation d’une personne effacée',
    );
  });

  test('[X-03] each subject that the database records has its sentences', () => {
    const migrations = path.join(import.meta.dirname, '..', '..', 'database', 'migrations');
    const sql = readdirSync(migrations)
      .map((file) => readFileSync(path.join(migrations, file), 'utf8'))
      .join('\n');
    const triggers = [
      ...sql.matchAll(/ on public\.(\w+)(?:\s+for each row)? execute function private\.audit_change/gu),
    ];
    const calls = [...sql.matchAll(/append_audit\('(\w+)'/gu)];
    const recorded = new Set([...triggers, ...calls].map(([, name]) => name));
    expect(recorded.size).toBeGreaterThan(6);
    expect([...recorded].filter((name) => !isAuditEntity(name))).toEqual([]);
  });
});
