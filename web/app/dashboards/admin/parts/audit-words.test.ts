import { expect, test } from 'vitest';
import type { AuditEntry } from '#api/company/audit-entries';
import { auditActor, auditWords } from './audit-words.ts';

const entry = (facts: Partial<AuditEntry>): AuditEntry => ({
  id: '1',
  at: '2026-11-21T05:00:00Z',
  actorId: '00000000-0000-4000-8000-000000000001',
  actorName: 'Claire Fontaine',
  actor: 'admin',
  entity: 'sales',
  entityId: '11111111-1111-4111-8111-111111111111',
  action: 'update',
  before: null,
  after: null,
  reason: null,
  ...facts,
});

test.each([
  [{ after: { admin_validated: true, status: 'validated' } }, "Contrat validé par l'administrateur"],
  [{ after: { status: 'rejected' } }, 'Parrainage refusé'],
  [{ after: { ready_for_validation: true } }, 'Contrat transmis pour validation'],
  [{ after: { status: 'contacted' } }, 'Statut changé : Contacté'],
  [{ action: 'insert', after: { corrects_sale_id: 'x' } }, 'Validation annulée par une écriture inverse'],
  [{ entity: 'payment_requests', after: { status: 'paid' } }, 'Demande payée'],
  [{ entity: 'payment_requests', action: 'read' }, 'Coordonnées de paiement consultées'],
  [{ entity: 'profiles', action: 'insert', after: { role: 'commercial' } }, 'Compte commercial créé'],
  [{ entity: 'profiles', after: { deactivated_at: '2026-11-21' } }, 'Compte désactivé'],
  [{ entity: 'account_closure_requests', after: { status: 'accepted' } }, 'Fermeture de compte acceptée'],
  [{ entity: 'company_settings', action: 'clean' }, 'Données de test supprimées'],
  [{ entity: 'unknown_things', action: 'moved' }, 'unknown_things : moved'],
] satisfies [Partial<AuditEntry>, string][])('[X-03] %j reads « %s »', (facts, sentence) => {
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
  expect(auditActor(entry({ actorName: null, actorId: null, actor: 'demo company' }))).toBe('Parrain (automatique)');
});
