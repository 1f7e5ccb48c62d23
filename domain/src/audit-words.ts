import { controlWords, isControl } from './control.ts';
import { apiKeyScopeLabels, isApiKeyScope } from './api-key.ts';
import { formatSignedEuros } from './dispute.ts';
import { doubtfulCaseStatuses, doubtfulCaseStatusLabels, doubtRules, doubtRuleWords } from './doubt.ts';
import type { AuditEntity } from './audit.ts';
import { formatDate, formatDateTime } from './date.ts';
import { eInvoiceStatusText, isRefusedStatus } from './e-invoice.ts';
import {
  exportedLists,
  exportedPapers,
  exportFormats,
  isExportedListName,
  isExportedPaperName,
  isExportFormat,
  isPaperFormat,
  paperFormats,
} from './exports.ts';
import { formatEuros, fromWire, groupThousands } from './money.ts';
import { ofName } from './of-name.ts';
import { isNewClientsGiven, newClientsLabels } from './new-clients.ts';
import { paymentMethodLabel, paymentRequestLabels, paymentRequestStatuses } from './payment-request.ts';
import { isPayeeStatus, payeeStatusLabels } from './payee.ts';
import { formatPercent, percentFromWire } from './percent.ts';
import { isRole, roleLabels } from './role.ts';
import { saleChoiceLabels, saleStatuses } from './sale.ts';
import { mailKindOf } from './sent-mail.ts';
import { shortId } from './short-id.ts';
import { monthName, statementPeriodOf } from './statement.ts';

/** Input for the words of an audit entry (X-03). Personal data in it is masked: « ••• ». */
export interface AuditFacts {
  readonly actorId: string | null;
  /** Null where the account is gone, or where the server acted by itself. */
  readonly actorName: string | null;
  /** The acting person's role, or the reason the server gave. */
  readonly actor: string;
  readonly entity: string;
  readonly entityId: string;
  readonly action: string;
  readonly before: Facts | null;
  readonly after: Facts | null;
}

/** The people and things that an entry is about, as they are called today; null where they are gone, or erased. */
export interface AuditSubject {
  /** The friend of the sale. */
  readonly contact: string | null;
  /** The client who asks for a payment, who receives a commission, or whose account it is. */
  readonly person: string | null;
  /** The commercial to whom somebody was handed over, or whom a validation credits. */
  readonly commercial: string | null;
  /** The client whom a validation credits. */
  readonly referrer: string | null;
  readonly scale: string | null;
  /** Of the contract or of the payment, as the wire carries it. */
  readonly amount: number | string | null;
}

/** An entry of the trail in words: a short sentence, its colour, and each change. */
export interface AuditWords {
  sentence: string;
  tone: 'plain' | 'done' | 'refused';
  changes: readonly AuditChange[];
}

export interface AuditChange {
  label: string;
  /** The machine's bookkeeping beside a decision: left out of a timeline, whose sentence already says it. */
  isDetail: boolean;
  /** Null where there was nothing. */
  before: string | null;
  after: string | null;
}

/** One of them, before its short id. */
export const auditEntityNames: Readonly<Record<AuditEntity, string>> = {
  sales: 'Vente',
  commission_payments: 'Commission',
  commission_rates: 'Barème',
  payment_requests: 'Demande',
  payment_batches: 'Virement groupé',
  paid_periods: 'Mois payé',
  profiles: 'Compte',
  company_settings: 'Entreprise',
  disputes: 'Contestation',
  debt_acts: 'Dette',
  api_keys: 'Clé d’API',
  doubtful_cases: 'Cas douteux',
  account_closure_requests: 'Fermeture',
  exports: 'Export',
  mails: 'E-mail',
};

/** The names of ids that an entry carries; an id without one is said by its short form. */
type Names = ReadonlyMap<string, string>;

/** An entry of the trail in French (X-03). What this table does not know is said with the entry's own words, never hidden. */
export function auditWords(entry: AuditFacts, names: Names = new Map()): AuditWords {
  const { sentence, tone = 'plain' } = entryWords(entry, nobody);
  return { sentence, tone, changes: changesOf(entry, names) };
}

/** Sentence of an entry, its actor, act and beneficiary: « Claire Fontaine a approuvé 308,76 € pour Arthur Lefèvre ». */
export function auditSentence(entry: AuditFacts, subject: AuditSubject): string {
  return `${doer(entry)} ${entryWords(entry, subject).did}`;
}

/** The actor: a person, a role whose account is gone, or the server with its reason. */
export function auditActor(entry: Pick<AuditFacts, 'actorName' | 'actor' | 'actorId'>): string {
  if (entry.actorName !== null) return entry.actorName;
  if (entry.actorId !== null)
    return `${isRole(entry.actor) ? roleLabels[entry.actor] : 'Compte'} supprimé (${shortId(entry.actorId)})`;
  return 'Système';
}

/** The actor as the subject of a sentence. */
function doer({ actorName, actorId, actor }: AuditFacts): string {
  if (actorName !== null) return actorName;
  if (actorId === null) return 'Parrain';
  return isRole(actor)
    ? `Un ${roleWords[actor]} dont le compte est supprimé`
    : 'Une personne dont le compte est supprimé';
}

const roleWords = {
  admin: 'administrateur',
  commercial: 'commercial',
  client: 'client',
  comptable: 'comptable',
} as const;

const nobody: AuditSubject = {
  contact: null,
  person: null,
  commercial: null,
  referrer: null,
  scale: null,
  amount: null,
};

interface EntryWords {
  sentence: string;
  /** The same with its people and amounts, after the actor. */
  did: string;
  tone?: AuditWords['tone'];
}

type Facts = Readonly<Record<string, unknown>>;

function entryWords(entry: AuditFacts, subject: AuditSubject): EntryWords {
  const known = sentences[entry.entity]?.({ ...entry, before: entry.before ?? {}, after: entry.after ?? {}, subject });
  return (
    known ?? {
      sentence: `${entry.entity} : ${entry.action}`,
      did: `a agi : ${entry.entity}, ${entry.action}`,
    }
  );
}

interface FilledEntry extends AuditFacts {
  before: Facts;
  after: Facts;
  subject: AuditSubject;
}

const sentences: Readonly<Record<string, (entry: FilledEntry) => EntryWords | undefined>> = {
  sales: ({ action, before, after, actor, subject }) => {
    const friend = subject.contact ?? 'une personne effacée';
    const ofFriend = ofSomebody(subject.contact);
    const worth = subject.amount === null ? '' : ` : ${amountText(subject.amount)}`;
    const commissions = commissionsIn(after, subject);
    if (action === 'insert') {
      if ('corrects_sale_id' in after) {
        const taken = commissions === '' ? '' : `, et repris ${commissions}`;
        const left = valueText('contract_left', after['contract_left']);
        if (left !== null && isAboveZero(after['contract_amount'])) {
          const given = commissions === '' ? '' : `, et crédité ${commissions}`;
          return {
            sentence: `Contrat porté à ${left} par une écriture de plus`,
            did: `a porté à ${left} le contrat ${ofFriend}${given}`,
            tone: 'done',
          };
        }
        if (left !== null) {
          return {
            sentence: `Contrat réduit à ${left} par une écriture inverse`,
            did: `a réduit à ${left} le contrat ${ofFriend}${taken}`,
            tone: 'refused',
          };
        }
        return {
          sentence: 'Validation annulée par une écriture inverse',
          did: `a annulé la validation du contrat ${ofFriend}${taken}`,
          tone: 'refused',
        };
      }
      return {
        sentence: 'Parrainage reçu',
        did: actor === 'client' ? `a recommandé ${friend}` : `a enregistré la recommandation ${ofFriend}`,
      };
    }
    if (action === 'delete') {
      return { sentence: 'Parrainage supprimé', did: `a supprimé la recommandation ${ofFriend}`, tone: 'refused' };
    }
    if (action === 'keep_contact') return { sentence: 'Contact gardé', did: `a gardé le contact ${ofFriend}` };
    if (action === 'write_to_friend') {
      return { sentence: 'Contact écrit une fois, sans réponse de sa part', did: `a écrit au contact ${ofFriend}` };
    }
    if (action !== 'update') return undefined;
    if (after['admin_validated'] === true) {
      return {
        sentence: 'Contrat validé par l’administrateur',
        did: `a validé le contrat ${ofFriend}${worth}${commissions === '' ? '' : `, et crédité ${commissions}`}`,
        tone: 'done',
      };
    }
    if (after['status'] === 'rejected') {
      return {
        sentence: 'Parrainage refusé',
        did: `a refusé ${actor === 'admin' ? 'le contrat' : 'la recommandation'} ${ofFriend}`,
        tone: 'refused',
      };
    }
    if (after['ready_for_validation'] === true) {
      return {
        sentence: 'Contrat transmis pour validation',
        did: `a transmis pour validation le contrat ${ofFriend}${worth}`,
      };
    }
    if (actor === 'admin' && after['status'] === 'in_negotiation' && before['ready_for_validation'] === true) {
      return {
        sentence: 'Correction demandée au commercial',
        did: `a demandé une correction du contrat ${ofFriend}`,
      };
    }
    if ('status' in after || 'ready_for_validation' in after) {
      const status = valueText('status', after['status'] ?? 'pending') ?? '';
      return { sentence: `Statut changé : ${status}`, did: `a passé ${friend} à « ${status} »` };
    }
    if ('commercial_id' in after) {
      return {
        sentence: 'Parrainage confié à un autre commercial',
        did: `a confié ${friend} à ${newCommercial(subject)}`,
      };
    }
    if ('friend_referrer_id' in after) {
      return {
        sentence: 'Parrainage donné à un autre parrain',
        did: `a donné la recommandation ${ofFriend} à un autre parrain`,
      };
    }
    return { sentence: 'Parrainage modifié', did: `a modifié la recommandation ${ofFriend}` };
  },
  commission_payments: ({ action, before, after, subject }) => {
    const person = subject.person ?? 'un compte effacé';
    const from = subject.contact === null ? '' : ` pour le contrat ${ofName(subject.contact)}`;
    if (action === 'delete') {
      const amount = valueText('amount', before['amount']);
      return {
        sentence: 'Commission supprimée',
        did: `a supprimé une commission${amount === null ? '' : ` de ${amount}`}`,
        tone: 'refused',
      };
    }
    if (action !== 'insert') return undefined;
    const side = after['type'] === 'client' ? 'client' : 'commercial';
    const amount = valueText('amount', after['amount']) ?? '';
    return amount.startsWith('−') || amount.startsWith('-')
      ? {
          sentence: `Commission ${side} reprise : ${amount}`,
          did: `a repris ${amount.slice(1)} à ${person}${from}`,
          tone: 'refused',
        }
      : {
          sentence: `Commission ${side} créditée : ${amount}`,
          did: `a crédité ${amount} à ${person}${from}`,
          tone: 'done',
        };
  },
  commission_rates: ({ action, before, after, subject }) => {
    const name = valueText('name', after['name']) ?? valueText('name', before['name']) ?? subject.scale;
    const scale = name === null ? 'un barème' : `le barème « ${name} »`;
    if (action === 'insert') return { sentence: `Barème « ${name ?? ''} » créé`, did: `a créé ${scale}` };
    if (action === 'delete') return { sentence: 'Barème supprimé', did: `a supprimé ${scale}`, tone: 'refused' };
    if (action !== 'update') return undefined;
    if (typeof after['archived_at'] === 'string') return { sentence: 'Barème archivé', did: `a archivé ${scale}` };
    if (after['is_default'] === true) {
      return { sentence: 'Barème défini par défaut', did: `a choisi ${scale} par défaut` };
    }
    if (after['is_default'] === false) {
      return { sentence: 'Barème qui n’est plus par défaut', did: `ne propose plus ${scale} par défaut` };
    }
    if (typeof after['version_to_come'] === 'number') {
      return { sentence: 'Version à venir publiée', did: `a publié une version à venir pour ${scale}` };
    }
    if (typeof before['version_to_come'] === 'number') {
      return {
        sentence: 'Version à venir retirée',
        did: `a retiré une version à venir pour ${scale}`,
        tone: 'refused',
      };
    }
    return { sentence: 'Barème modifié', did: `a modifié ${scale}` };
  },
  payment_requests: ({ action, before, after, actor, subject }) => {
    const person = subject.person ?? 'un compte effacé';
    const ofPerson = ofSomebody(subject.person);
    const worth = valueText('amount', after['amount'] ?? before['amount'] ?? subject.amount);
    const amount = worth ?? 'une demande';
    if (action === 'insert') {
      return {
        sentence: `Paiement de ${worth ?? ''} demandé`,
        did:
          actor === 'client'
            ? `a demandé le paiement de ${amount}`
            : `a demandé le paiement de ${amount} pour ${person}`,
      };
    }
    if (action === 'read') {
      return {
        sentence: 'Coordonnées de paiement consultées',
        did: `a consulté les coordonnées de paiement ${ofPerson}`,
      };
    }
    if (action === 'delete') {
      return {
        sentence: 'Demande de paiement supprimée',
        did: `a supprimé une demande de paiement${worth === null ? '' : ` de ${worth}`}`,
        tone: 'refused',
      };
    }
    if (action === 'attach_proof')
      return { sentence: 'Justificatif joint', did: `a joint un justificatif au paiement ${ofPerson}` };
    if (action === 'issue') return paperIssued(after);
    if (action === 'e_invoice') return eInvoiceStep(after);
    if (action === 'receive_invoice')
      return {
        sentence: 'Facture électronique rapprochée',
        did: `a rapproché une facture électronique de la demande ${ofPerson}`,
      };
    if (action === 'tell_invoice') return invoiceTold(after);
    if (action === 'answer_invoice_again') return invoiceAnsweredAgain(after);
    if (action === 'send_invoice') return { sentence: 'Facture envoyée', did: 'a envoyé sa facture' };
    if (action === 'refuse_invoice')
      return { sentence: 'Facture refusée', did: `a refusé la facture ${ofPerson}`, tone: 'refused' };
    if (typeof after['payee_invoice_id'] === 'string')
      return { sentence: 'Facture acceptée', did: `a accepté la facture ${ofPerson}`, tone: 'done' };
    if (before['status'] === 'approved' && after['status'] === 'pending') {
      return {
        sentence: 'Approbation annulée',
        did: `a annulé l’approbation de ${amount} pour ${person}`,
        tone: 'refused',
      };
    }
    if (after['status'] === 'approved') {
      return { sentence: 'Demande approuvée', did: `a approuvé ${amount} pour ${person}`, tone: 'done' };
    }
    if (after['status'] === 'paid')
      return { sentence: 'Demande payée', did: `a payé ${amount} à ${person}`, tone: 'done' };
    if (after['status'] === 'returned') {
      return {
        sentence: 'Virement revenu de la banque',
        did: `a noté le retour par la banque de ${amount} payés à ${person}`,
        tone: 'refused',
      };
    }
    if (before['status'] === 'approved' && after['status'] === 'rejected') {
      return {
        sentence: 'Virement rejeté par la banque',
        did: `a noté le rejet par la banque de ${amount} pour ${person}`,
        tone: 'refused',
      };
    }
    if (after['status'] === 'rejected') {
      return { sentence: 'Demande refusée', did: `a refusé ${amount} à ${person}`, tone: 'refused' };
    }
    return action === 'update'
      ? { sentence: 'Demande modifiée', did: `a modifié la demande de paiement ${ofPerson}` }
      : undefined;
  },
  payment_batches: ({ action, after }) => {
    if (action === 'insert') return { sentence: 'Virement groupé préparé', did: 'a préparé un virement groupé' };
    if (action === 'delete') {
      return { sentence: 'Brouillon supprimé', did: 'a supprimé le brouillon d’un virement groupé', tone: 'refused' };
    }
    if (action === 'export') {
      return { sentence: 'Fichier de la banque téléchargé', did: 'a téléchargé le fichier d’un virement groupé' };
    }
    if (after['status'] === 'released') {
      return { sentence: 'Virement groupé validé', did: 'a validé un virement groupé', tone: 'done' };
    }
    if (after['status'] === 'sent') {
      return { sentence: 'Envoyé à la banque', did: 'a envoyé un virement groupé à la banque' };
    }
    return after['status'] === 'settled'
      ? { sentence: 'Virement groupé payé', did: 'a noté qu’un virement groupé est payé', tone: 'done' }
      : { sentence: 'Virement groupé modifié', did: 'a modifié un virement groupé' };
  },
  paid_periods: ({ action, after }) => {
    if (action === 'issue') return paperIssued(after);
    if (action === 'e_invoice') return eInvoiceStep(after);
    const [month, amount] = [after['month'], after['amount']];
    const ofMonth = typeof month === 'string' ? ` ${ofName(monthName(month))}` : '';
    const sum =
      typeof amount === 'number' || typeof amount === 'string' ? `\u00a0: ${formatEuros(fromWire(amount))}` : '';
    if (action === 'update') {
      return {
        sentence: `Virement des commissions${ofMonth} revenu de la banque`,
        did: `a noté que le virement des commissions${ofMonth} d’un commercial est revenu de la banque${sum}`,
        tone: 'refused',
      };
    }
    return {
      sentence: `Commissions${ofMonth} payées`,
      did: `a marqué payées les commissions${ofMonth} d’un commercial${sum}`,
      tone: 'done',
    };
  },
  debt_acts: ({ action, after }) => {
    const [isWaiver, cents] = [after['kind'] === 'waiver', after['amount']];
    const sum = typeof cents === 'number' || typeof cents === 'string' ? ` de ${formatEuros(fromWire(cents))}` : '';
    const what = isWaiver ? `l’abandon d’une dette${sum}` : `le remboursement d’une dette${sum}`;
    if (after['annulled'] === true)
      return {
        sentence: isWaiver ? 'Abandon de dette annulé' : 'Remboursement annulé',
        did: `a annulé ${what}`,
        tone: 'refused',
      };
    if (action === 'update') {
      return after['confirmed'] === true
        ? { sentence: 'Abandon de dette confirmé', did: `a confirmé ${what}`, tone: 'done' }
        : { sentence: 'Abandon de dette retiré', did: `a retiré ${what}`, tone: 'refused' };
    }
    if (after['waits'] === true) return { sentence: 'Abandon de dette demandé', did: `a demandé ${what}` };
    return isWaiver
      ? { sentence: 'Dette abandonnée', did: `a abandonné une dette${sum}`, tone: 'done' }
      : { sentence: 'Dette remboursée', did: `a enregistré ${what}`, tone: 'done' };
  },
  disputes: ({ before, after }) => {
    const proposed = after['proposed'];
    if (!after['adjustment'] && (typeof proposed === 'number' || typeof proposed === 'string')) {
      return {
        sentence: 'Ajustement demandé',
        did: `a demandé un ajustement de ${formatSignedEuros(fromWire(proposed))}`,
      };
    }
    const [given, annulled] = [after['adjustment'], before['adjustment']].map((value) =>
      typeof value === 'number' || typeof value === 'string' ? formatSignedEuros(fromWire(value)) : null,
    );
    return given
      ? { sentence: 'Compte ajusté', did: `a ajusté un compte de ${given}`, tone: 'done' }
      : {
          sentence: 'Ajustement annulé',
          did: `a annulé un ajustement${annulled ? ` de ${annulled}` : ''}`,
          tone: 'refused',
        };
  },
  api_keys: ({ action, after, subject }) => {
    const given = valueText('name', after['name']);
    // Named by its id alone, it is called as an actor is: « Clé « CRM » ».
    const key =
      given === null
        ? (subject.person?.replace(/^Clé/u, 'la clé d’API') ?? 'une clé d’API')
        : `la clé d’API « ${given} »`;
    return action === 'revoke'
      ? { sentence: 'Clé d’API révoquée', did: `a révoqué ${key}`, tone: 'refused' }
      : { sentence: 'Clé d’API créée', did: `a créé ${key}` };
  },
  doubtful_cases: ({ after: { status, is_pair_cleared: isPairCleared } }) =>
    status === 'confirmed'
      ? { sentence: 'Doute confirmé', did: 'a confirmé un cas douteux', tone: 'refused' }
      : {
          sentence: isPairCleared === true ? 'Rien à signaler, ni plus tard pour ces personnes' : 'Rien à signaler',
          did: 'a classé un cas douteux : rien à signaler',
          tone: 'done',
        },
  profiles: ({ action, before, after, actorId, entityId, subject }) => {
    const role = after['role'] ?? before['role'];
    const who = isRole(role) ? roleWords[role] : 'utilisateur';
    const isTheirs = actorId === entityId;
    const person = subject.person ?? 'une personne effacée';
    const ofPerson = ofSomebody(subject.person);
    if (action === 'insert') {
      return {
        sentence: `Compte ${who} créé`,
        did: isTheirs ? 'a ouvert son compte' : `a ouvert le compte ${who} ${ofPerson}`,
      };
    }
    if (action === 'delete') {
      return {
        sentence: `Compte ${who} supprimé`,
        did: isTheirs ? 'a supprimé son compte' : `a supprimé un compte ${who}`,
        tone: 'refused',
      };
    }
    if (typeof after['rules_accepted'] === 'number') {
      const version = after['rules_accepted'];
      return {
        sentence: `Règles du programme acceptées, version ${version}`,
        did: `a accepté la version ${version} des règles du programme`,
        tone: 'done',
      };
    }
    // AC-04: the invoice of a commercial's month.
    if (action === 'send_invoice') return { sentence: 'Facture envoyée', did: 'a envoyé la facture de son mois' };
    if (action === 'receive_invoice')
      return {
        sentence: 'Facture électronique rapprochée',
        did: `a rapproché une facture électronique du mois ${ofPerson}`,
      };
    if (action === 'tell_invoice') return invoiceTold(after);
    if (action === 'answer_invoice_again') return invoiceAnsweredAgain(after);
    if (action === 'accept_invoice')
      return { sentence: 'Facture acceptée', did: `a accepté la facture ${ofPerson}`, tone: 'done' };
    if (action === 'refuse_invoice')
      return { sentence: 'Facture refusée', did: `a refusé la facture ${ofPerson}`, tone: 'refused' };
    if (action === 'reset_second_factor') {
      return {
        sentence: 'Double authentification retirée',
        did: `a retiré la double authentification ${ofPerson}`,
        tone: 'refused',
      };
    }
    if (action === 'give_temporary_password') {
      return {
        sentence: 'Nouveau mot de passe temporaire',
        did: `a donné un nouveau mot de passe à ${person}`,
      };
    }
    if (action === 'view')
      return { sentence: 'Écran vu par un administrateur', did: `a vu l’écran ${ofPerson}, en lecture seule` };
    if (action === 'confirm_iban')
      return { sentence: 'IBAN confirmé par e-mail', did: `a confirmé l’IBAN ${ofPerson}`, tone: 'done' };
    if (action === 'lift_iban_wait')
      return {
        sentence: 'IBAN vérifié avec le bénéficiaire',
        did: `a levé l’attente de l’IBAN ${ofPerson}`,
        tone: 'done',
      };
    if (action === 'issue') return paperIssued(after);
    if (action !== 'update') return undefined;
    if ('mandate' in after) {
      return after['mandate'] === null
        ? {
            sentence: 'Mandat d’autofacturation révoqué',
            did: 'a révoqué son mandat d’autofacturation',
            tone: 'refused',
          }
        : { sentence: 'Mandat d’autofacturation accepté', did: 'a accepté le mandat d’autofacturation', tone: 'done' };
    }
    if ('vat_accepted' in after) {
      return { sentence: 'TVA acceptée', did: `a accepté la TVA ${ofPerson}`, tone: 'done' };
    }
    if ('bank_account' in after) {
      return {
        sentence: 'Compte bancaire changé',
        did: 'a changé le compte bancaire sur lequel ses commissions sont payées',
      };
    }
    if ('accounting_code' in after) {
      return { sentence: 'Code comptable changé', did: 'a changé le code comptable' };
    }
    if ('regularity_dealt' in after) {
      return {
        sentence: 'Activité régulière traitée',
        did: `a traité l’activité régulière ${ofPerson}`,
        tone: 'done',
      };
    }
    if ('payee_details' in after) {
      return {
        sentence: 'Informations légales changées',
        did: isTheirs ? 'a changé ses informations légales' : `a changé les informations légales ${ofPerson}`,
      };
    }
    if (typeof after['deactivated_at'] === 'string') {
      return { sentence: 'Compte désactivé', did: `a désactivé le compte ${ofPerson}`, tone: 'refused' };
    }
    if ('deactivated_at' in after) {
      return { sentence: 'Compte réactivé', did: `a réactivé le compte ${ofPerson}`, tone: 'done' };
    }
    if ('commercial_id' in after) {
      return { sentence: 'Client confié à un autre commercial', did: `a confié ${person} à ${newCommercial(subject)}` };
    }
    return { sentence: 'Profil modifié', did: isTheirs ? 'a modifié son profil' : `a modifié le profil ${ofPerson}` };
  },
  account_closure_requests: ({ action, after, subject }) => {
    const ofPerson = ofSomebody(subject.person);
    if (action === 'insert') {
      return { sentence: 'Fermeture de compte demandée', did: 'a demandé la fermeture de son compte' };
    }
    if (action === 'delete') {
      return {
        sentence: 'Demande de fermeture supprimée avec le compte',
        did: 'a supprimé une demande de fermeture avec son compte',
      };
    }
    if (after['status'] === 'accepted') {
      return {
        sentence: 'Fermeture de compte acceptée',
        did: `a accepté la fermeture du compte ${ofPerson}`,
        tone: 'done',
      };
    }
    if (after['status'] === 'rejected') {
      return {
        sentence: 'Fermeture de compte refusée',
        did: `a refusé la fermeture du compte ${ofPerson}`,
        tone: 'refused',
      };
    }
    return after['status'] === 'withdrawn'
      ? { sentence: 'Demande de fermeture annulée', did: 'a annulé sa demande de fermeture' }
      : undefined;
  },
  exports: ({ action, after: { list, format, rows, period } }) => {
    if (action === 'ask' && isExportedPaperName(list)) {
      const title = `« ${exportedPapers[list]} »`;
      return { sentence: `Export de ${title} demandé`, did: `a demandé ${title}` };
    }
    if (action === 'send' && isExportedPaperName(list) && typeof period === 'string') {
      const title = `« ${exportedPapers[list]} »`;
      const label = statementPeriodOf(period)?.label ?? period;
      return { sentence: `${title} envoyé au comptable : ${label}`, did: `a envoyé ${title} au comptable : ${label}` };
    }
    if (action !== 'export') return undefined;
    const lines = `${groupThousands(String(rows))} ligne${rows === 0 || rows === 1 ? '' : 's'}`;
    if (isExportedPaperName(list) && isPaperFormat(format)) {
      const title = `« ${exportedPapers[list]} »`;
      const of = typeof period === 'string' ? `${statementPeriodOf(period)?.label ?? period}, ` : '';
      const size = `${of}${lines} (${paperFormats[format]})`;
      return { sentence: `Export de ${title} : ${size}`, did: `a exporté ${title} : ${size}` };
    }
    if (!isExportedListName(list) || !isExportFormat(format)) return undefined;
    const title = `« ${exportedLists[list]} »`;
    const size = `${lines} (${exportFormats[format]})`;
    return { sentence: `Liste ${title} exportée : ${size}`, did: `a exporté la liste ${title} : ${size}` };
  },
  mails: ({ action, after: { template } }) => {
    if (action !== 'send_again' || typeof template !== 'string') return undefined;
    const { label } = mailKindOf(template);
    return { sentence: `E-mail renvoyé : ${label}`, did: `a renvoyé un e-mail : ${label}` };
  },
  company_settings: ({ action, before, after }) => {
    if (action === 'clean') {
      return { sentence: 'Données de test supprimées', did: 'a supprimé les données de test', tone: 'refused' };
    }
    if (action === 'acknowledge_break') {
      const entry = valueText('entry', after['entry']) ?? '';
      return {
        sentence: `Rupture du journal reconnue : écriture ${entry}`,
        did: `a reconnu une rupture du journal, à l’écriture ${entry}`,
      };
    }
    const control = String(after['control']);
    if ((action === 'ask_control' || action === 'withdraw_control') && isControl(control)) {
      const words = controlWords(control, after['value']);
      return action === 'ask_control'
        ? { sentence: `Changement d’un contrôle demandé : ${words}`, did: `a demandé de ${words}` }
        : { sentence: `Changement d’un contrôle retiré : ${words}`, did: `a retiré la demande de ${words}` };
    }
    if (action === 'tell_invoice') return invoiceTold(after);
    if (action === 'answer_invoice_again') return invoiceAnsweredAgain(after);
    if (action === 'refuse_received_invoice')
      return { sentence: 'Facture reçue refusée', did: 'a refusé une facture électronique reçue', tone: 'refused' };
    if (action === 'set_aside_received_invoice')
      return { sentence: 'Facture reçue écartée', did: 'a écarté une facture électronique reçue' };
    if (action === 'set_aside_supplier')
      return { sentence: 'Fournisseur écarté', did: 'a écarté les factures électroniques d’un fournisseur' };
    if (action === 'restore_supplier')
      return { sentence: 'Fournisseur plus écarté', did: 'n’écarte plus les factures électroniques d’un fournisseur' };
    if (action !== 'update') return undefined;
    if ('company_name' in after) {
      return {
        sentence: 'Nom de l’entreprise changé',
        did: `a donné à l’entreprise le nom « ${valueText('company_name', after['company_name']) ?? ''} »`,
      };
    }
    if ('logo_url' in after) {
      return { sentence: 'Logo de l’entreprise changé', did: 'a changé le logo de l’entreprise' };
    }
    if ('brand_color' in after) {
      return { sentence: 'Couleur des e-mails changée', did: 'a changé la couleur des e-mails' };
    }
    if ('presentation' in after) {
      return { sentence: 'Présentation publique changée', did: 'a changé la présentation publique de l’entreprise' };
    }
    if ('friend_gain' in after) {
      return { sentence: 'Gain annoncé aux amis changé', did: 'a changé ce que la page publique annonce aux amis' };
    }
    if ('answer_days' in after) {
      return { sentence: 'Délai de réponse promis changé', did: 'a changé le délai de réponse promis aux amis' };
    }
    if ('picture_url' in after) {
      return { sentence: 'Image de la page publique changée', did: 'a changé l’image de la page publique' };
    }
    if ('require_call_consent' in after) {
      return { sentence: 'Accord pour être appelé changé', did: 'a changé l’accord demandé pour être appelé' };
    }
    if ('hold_doubtful' in after) {
      return after['hold_doubtful'] === true
        ? { sentence: 'Argent des cas douteux retenu', did: 'a fait retenir l’argent des cas douteux' }
        : { sentence: 'Argent des cas douteux non retenu', did: 'ne fait plus retenir l’argent des cas douteux' };
    }
    if ('doubt_rule' in after) {
      const rule = doubtRules.find((code) => code === after['doubt_rule']);
      const named = rule === undefined ? '' : ` : ${doubtRuleWords[rule].label}`;
      return {
        sentence: `Règle des cas douteux changée${named}`,
        did: `a changé une règle des cas douteux${named}`,
      };
    }
    if ('first_referral_months' in after) {
      return { sentence: 'Priorité au premier parrain changée', did: 'a changé la priorité au premier parrain' };
    }
    if (typeof after['programme_rules'] === 'number') {
      const version = after['programme_rules'];
      return {
        sentence: `Règles du programme publiées, version ${version}`,
        did: `a publié la version ${version} des règles du programme`,
      };
    }
    if ('contact_months' in after) {
      return {
        sentence: 'Durée de conservation des contacts changée',
        did: 'a changé la durée de conservation des contacts',
      };
    }
    if ('new_clients' in after || 'new_clients_to' in after) {
      return {
        sentence: 'Attribution des nouveaux clients changée',
        did: 'a changé l’attribution des nouveaux clients',
      };
    }
    if ('follow_up_days' in after || 'follow_up_admin_days' in after) {
      return { sentence: 'Relances des parrainages changées', did: 'a changé les relances des parrainages' };
    }
    if ('accounting' in after) {
      return { sentence: 'Réglages du journal comptable changés', did: 'a changé les réglages du journal comptable' };
    }
    if (typeof after['accounting_closed'] === 'string') {
      const until = monthName(after['accounting_closed']);
      return {
        sentence: `Journal comptable clos jusqu’à ${until}`,
        did: `a clos le journal comptable jusqu’à ${until}`,
        tone: 'done',
      };
    }
    if ('das2_gift_cards' in after) {
      return { sentence: 'Réglages de la DAS2 changés', did: 'a changé les réglages de la DAS2' };
    }
    if ('e_invoicing' in after) {
      return { sentence: 'Plateforme agréée reliée', did: 'a relié une plateforme agréée' };
    }
    if ('e_invoicing_on' in after) {
      const isOn = after['e_invoicing_on'] !== null;
      return {
        sentence: `Dépôt automatique des factures ${isOn ? 'activé' : 'désactivé'}`,
        did: `a ${isOn ? 'activé' : 'désactivé'} le dépôt automatique des factures`,
      };
    }
    if ('issues_papers' in after) {
      return {
        sentence: 'Identité de l’entreprise sur les pièces changée',
        did: 'a changé l’identité de l’entreprise sur les pièces',
      };
    }
    if ('legal_notice' in after) {
      return { sentence: 'Mentions légales changées', did: 'a changé les mentions légales' };
    }
    if ('account_iban' in after) {
      return { sentence: 'Compte bancaire de l’entreprise changé', did: 'a changé le compte bancaire de l’entreprise' };
    }
    if (requestRules.some((key) => key in after)) {
      return {
        sentence: 'Règles des demandes de paiement changées',
        did: 'a changé les règles des demandes de paiement',
      };
    }
    if ('skipped_steps' in after) {
      return { sentence: 'Étapes du démarrage passées ou reprises', did: 'a passé ou repris une étape du démarrage' };
    }
    if (after['require_admin_two_factor'] === true) {
      return {
        sentence: 'Double authentification demandée aux administrateurs',
        did: 'a demandé la double authentification à tous les administrateurs',
      };
    }
    if (after['require_admin_two_factor'] === false) {
      return {
        sentence: 'Double authentification laissée au choix des administrateurs',
        did: 'a laissé la double authentification au choix des administrateurs',
      };
    }
    for (const { key, changed, did } of webhookActs) {
      if (!(key in after)) continue;
      const isOver = after[key] === null;
      const isNew = before[key] === null;
      const host = valueText(key, isOver ? before[key] : after[key]) ?? '';
      const act = isOver ? 'over' : isNew ? 'new' : 'other';
      return {
        sentence: `${changed[act]} : ${host}`,
        did: `${did[act]} vers ${host}`,
        tone: isOver ? 'refused' : 'plain',
      };
    }
    return { sentence: 'Paramètres de l’entreprise modifiés', did: 'a modifié les paramètres de l’entreprise' };
  },
};

/** Words for a webhook that was added, deleted or changed, by the key that names it in the entry. */
const webhookActs = [
  {
    key: 'webhook',
    changed: { new: 'Webhook ajouté', over: 'Webhook supprimé', other: 'Webhook modifié' },
    did: { new: 'a ajouté un webhook', over: 'a supprimé un webhook', other: 'a modifié un webhook' },
  },
  {
    key: 'webhook_on',
    changed: { new: 'Webhook activé', over: 'Webhook désactivé', other: 'Webhook activé' },
    did: { new: 'a activé un webhook', over: 'a désactivé un webhook', other: 'a activé un webhook' },
  },
  {
    key: 'webhook_secret',
    changed: {
      new: 'Secret d’un webhook changé',
      over: 'Secret d’un webhook changé',
      other: 'Secret d’un webhook changé',
    },
    did: {
      new: 'a changé le secret d’un webhook',
      over: 'a changé le secret d’un webhook',
      other: 'a changé le secret d’un webhook',
    },
  },
] as const;

const requestRules = ['smallest_request', 'payment_methods', 'requests_from_day', 'requests_to_day', 'release_above'];

function ofSomebody(name: string | null): string {
  return name === null ? 'd’une personne effacée' : ofName(name);
}

/** « 308,76 € à Arthur Lefèvre et 120,00 € à Sophie Martin »: the commissions that an entry of a sale says, without their sign. */
function commissionsIn(after: Facts, { referrer, commercial }: AuditSubject): string {
  const isOfClient = 'friend_referrer_id' in after || 'client_referrer_id' in after;
  const sides = [
    { amount: isOfClient ? after['client_commission_amount'] : null, person: referrer },
    { amount: 'commercial_id' in after ? after['commercial_commission_amount'] : null, person: commercial },
  ];
  return sides
    .flatMap(({ amount, person }) => {
      const text = valueText('amount', amount)?.replace(/^[-−]/u, '') ?? '';
      return /[1-9]/u.test(text) ? [`${text} à ${person ?? 'un compte effacé'}`] : [];
    })
    .join(' et ');
}

/** A number of the wire, or its text. */
function isAboveZero(value: unknown): boolean {
  return typeof value === 'number' ? value > 0 : typeof value === 'string' && /^\d/u.test(value);
}

function newCommercial({ commercial }: AuditSubject): string {
  return commercial ?? 'un autre commercial';
}

function changesOf({ before, after, action }: AuditFacts, names: Names): readonly AuditChange[] {
  const keys = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  const changes: AuditChange[] = [];
  for (const key of keys) {
    const label = labels[key];
    if (label === undefined) continue;
    const row = {
      before: valueText(key, before?.[key], before, names),
      after: valueText(key, after?.[key], after, names),
    };
    // Of what just came into being, what is absent or false says nothing.
    if (action === 'insert' && (row.after === null || after?.[key] === false)) continue;
    if (row.before !== row.after) changes.push({ label, isDetail: isDetail(key), ...row });
  }
  return changes;
}

function isDetail(key: string): boolean {
  return details.has(key) || key.endsWith('_at') || key.endsWith('_type') || key.endsWith('_commission_rate');
}

const details: ReadonlySet<string> = new Set([
  'status',
  'ready_for_validation',
  'admin_validated',
  'validated_by',
  'commission_rate',
  'rejection_reason',
  'correction_reason',
  'approval_annulled_reason',
  'return_reason',
]);

/** The columns worth telling; the others (id, version, test flag) are the machine's. */
const labels: Readonly<Record<string, string>> = {
  status: 'Statut',
  ready_for_validation: 'Prêt à valider',
  admin_validated: 'Validé par admin',
  referred_contact_name: 'Contact',
  referred_contact_email: 'E-mail du contact',
  referred_contact_phone: 'Téléphone du contact',
  personal_message: 'Message personnel',
  contract_amount: 'Montant du contrat',
  contract_description: 'Description',
  commercial_notes: 'Notes du commercial',
  commercial_id: 'Commercial',
  client_referrer_id: 'Client parrain',
  friend_referrer_id: 'Parrain',
  commission_rate: 'Barème',
  client_commission_type: 'Type côté client',
  client_commission_rate: 'Taux côté client',
  client_commission_amount: 'Commission client',
  client_hold_days: 'Délai pour le client, en jours',
  from_contract_amount: 'À partir d’un contrat de',
  version_to_come: 'Version à venir',
  first_day: 'Premier jour',
  commercial_commission_type: 'Type côté commercial',
  commercial_commission_rate: 'Taux côté commercial',
  commercial_commission_amount: 'Commission commercial',
  rejection_reason: 'Raison du refus',
  correction_reason: 'Raison de la correction',
  approval_annulled_reason: 'Raison de l’annulation',
  return_reason: 'Raison du retour',
  corrects_sale_id: 'Vente corrigée',
  contract_left: 'Reste du contrat',
  validated_at: 'Validé le',
  validated_by: 'Validé par',
  sale_id: 'Vente',
  recipient_id: 'Bénéficiaire',
  type: 'Part',
  amount: 'Montant',
  vat_rate: 'Taux de TVA',
  vat_amount: 'TVA',
  payment_method: 'Mode de paiement',
  payment_details: 'Coordonnées de paiement',
  client_id: 'Client',
  admin_notes: 'Notes',
  approved_at: 'Approuvé le',
  paid_at: 'Payé le',
  returned_at: 'Revenu le',
  settlement_reference: 'Référence du paiement',
  association_name: 'Association',
  association_number: 'RNA ou SIREN',
  proof_sha256: 'Empreinte du justificatif',
  invoice_sha256: 'Empreinte de la facture',
  supplier_siren: 'SIREN du fournisseur',
  supplier_invoices: 'Factures concernées',
  payee_invoice_id: 'Facture du bénéficiaire',
  name: 'Nom',
  description: 'Description',
  is_default: 'Par défaut',
  archived_at: 'Archivé le',
  replaces_id: 'Remplace',
  full_name: 'Nom',
  email: 'E-mail',
  phone: 'Téléphone',
  company: 'Entreprise',
  notes: 'Notes',
  role: 'Rôle',
  deactivated_at: 'Désactivé le',
  company_name: 'Nom de l’entreprise',
  logo_url: 'Logo',
  accounting: 'Journal et comptes',
  accounting_closed: 'Clos jusqu’à',
  new_clients: 'Nouveaux clients sans commercial',
  new_clients_to: 'Commercial qui les reçoit',
  follow_up_days: 'Relance du commercial, en jours',
  follow_up_admin_days: 'Relance des administrateurs, en jours de plus',
  brand_color: 'Couleur des e-mails',
  adjustment: 'Ajustement',
  payee_status: 'Statut du bénéficiaire',
  payee_details: 'Informations légales',
  vat_accepted: 'Numéro de TVA accepté',
  vat_register: 'Registre européen (VIES)',
  mandate: 'Version du mandat',
  mandate_hash: 'Empreinte du mandat',
  contest_days: 'Contestation d’une pièce, en jours',
  issues_papers: 'Pièces établies',
  webhook: 'Webhook',
  webhook_on: 'Webhook activé',
  webhook_secret: 'Secret du webhook',
  das2_gift_cards: 'DAS2 : chèques cadeaux comptés',
  das2_discounts: 'DAS2 : remises comptées',
  regular_from: 'Particulier régulier : contrats en douze mois',
  regularity_dealt: 'Activité régulière traitée',
  accounting_code: 'Code comptable',
  paper: 'Pièce',
  paper_hash: 'Empreinte du fichier',
  e_invoice_status: 'Statut de la facture électronique',
  is_told: 'Réponse transmise',
  e_invoicing: 'Plateforme agréée',
  e_invoicing_on: 'Dépôt automatique des factures',
  vat_franchise: 'Entreprise en franchise en base de TVA',
  paper_identity: 'Identité sur les pièces',
  legal_notice: 'Mentions légales',
  presentation: 'Présentation publique',
  friend_gain: 'Ce que l’ami y gagne',
  answer_days: 'Délai de réponse promis, en jours ouvrés',
  picture_url: 'Image de la page publique',
  require_call_consent: 'Appeler seulement avec un accord',
  first_referral_months: 'Priorité au premier parrain, en mois',
  hold_doubtful: 'Retenir l’argent des cas douteux',
  is_on: 'Active',
  most: 'Parrainages habituels en une heure',
  contact_months: 'Contacts sans contrat gardés, en mois',
  programme_rules: 'Version des règles',
  rules_accepted: 'Version acceptée',
  rules_sha256: 'Empreinte du texte',
  account_holder: 'Titulaire du compte',
  account_iban: 'IBAN',
  account_bic: 'BIC',
  smallest_request: 'Plus petite demande',
  payment_methods: 'Moyens de paiement proposés',
  requests_from_day: 'Demandes à partir du (jour du mois)',
  release_above: 'Second administrateur au-dessus de',
  execution_on: 'Jour d’exécution',
  requests_to_day: 'Demandes jusqu’au (jour du mois)',
  skipped_steps: 'Étapes passées',
  scopes: 'Droits',
  expires_on: 'Dernier jour',
  sales: 'Ventes supprimées',
  commission_payments: 'Commissions supprimées',
  payment_requests: 'Demandes supprimées',
  commission_rates: 'Barèmes supprimés',
  clients: 'Clients supprimés',
  commercials: 'Commerciaux supprimés',
};

function paperIssued(after: Facts): EntryWords {
  const paper = valueText('paper', after['paper']) ?? '';
  return { sentence: `Pièce ${paper} établie`, did: `a établi la pièce ${paper}`, tone: 'done' };
}

function eInvoiceStep(after: Facts): EntryWords {
  const paper = valueText('paper', after['paper']) ?? '';
  const status = String(after['e_invoice_status']);
  return {
    sentence: `Facture électronique ${paper} : ${eInvoiceStatusText(status)}`,
    did: `a noté le statut de la facture électronique ${paper} : ${eInvoiceStatusText(status)}`,
    tone: isRefusedStatus(status) ? 'refused' : 'plain',
  };
}

/** EI-02: the answer to a seller's invoice, which their platform was given or would not take. */
function invoiceTold(after: Facts): EntryWords {
  const status = eInvoiceStatusText(String(after['e_invoice_status']));
  return after['is_told'] === false
    ? {
        sentence: `Réponse refusée par la plateforme : ${status}`,
        did: `n’a pas pu transmettre à la plateforme la réponse « ${status} »`,
        tone: 'refused',
      }
    : after['is_taken'] === true
      ? {
          sentence: `Réponse acceptée par la plateforme : ${status}`,
          did: `a reçu de la plateforme l’accord sur la réponse « ${status} »`,
          tone: 'done',
        }
      : {
          sentence: `Réponse transmise à la plateforme : ${status}`,
          did: `a transmis à la plateforme la réponse « ${status} »`,
        };
}

function invoiceAnsweredAgain(after: Facts): EntryWords {
  const status = eInvoiceStatusText(String(after['e_invoice_status']));
  return {
    sentence: `Réponse à renvoyer à la plateforme : ${status}`,
    did: `a fait renvoyer à la plateforme la réponse « ${status} »`,
  };
}

function valueText(key: string, value: unknown, row: Facts | null = null, names: Names = new Map()): string | null {
  if (value === null || value === undefined) return null;
  if (value === '•••') return 'donnée masquée';
  if (typeof value === 'boolean') return value ? 'oui' : 'non';
  if (key === 'status') return statusText(value);
  if (key === 'e_invoice_status' && typeof value === 'string') return eInvoiceStatusText(value);
  if (key === 'role' && isRole(value)) return roleLabels[value];
  if (key === 'payee_status' && isPayeeStatus(value)) return payeeStatusLabels[value];
  if (key === 'new_clients' && isNewClientsGiven(value)) return newClientsLabels[value];
  if (key === 'payment_method' && typeof value === 'string') return paymentMethodLabel(value);
  if ((key === 'execution_on' || key === 'expires_on' || key === 'first_day') && typeof value === 'string')
    return formatDate(`${value}T12:00:00Z`);
  if (key === 'payment_methods' && Array.isArray(value))
    return value.map((word) => paymentMethodLabel(String(word))).join(', ');
  if (key === 'scopes' && Array.isArray(value))
    return value.map((scope) => (isApiKeyScope(scope) ? apiKeyScopeLabels[scope] : String(scope))).join(', ');
  if (key.endsWith('_type')) return value === 'percentage' ? 'Pourcentage' : 'Montant fixe';
  if (key === 'type') return value === 'client' ? 'Client' : 'Commercial';
  if (key === 'logo_url') return 'image';
  if ((typeof value === 'number' || typeof value === 'string') && isAmount(key)) {
    return isPercentage(key, row) ? percentText(value) : amountText(value);
  }
  if (typeof value === 'string') {
    if (key.endsWith('_at')) return formatDateTime(value);
    return uuidPattern.test(value) ? (names.get(value) ?? shortId(value)) : value;
  }
  return typeof value === 'number' ? String(value) : JSON.stringify(value);
}

/** An id, as the trail carries it. */
export const uuidPattern = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;

function isAmount(key: string): boolean {
  return (
    key === 'amount' ||
    key === 'contract_left' ||
    key === 'smallest_request' ||
    key === 'release_above' ||
    key.endsWith('_amount') ||
    key.endsWith('_commission_rate')
  );
}

/** A rate, or the single number of a scale's side, is a percentage where its type beside it says so. */
function isPercentage(key: string, row: Facts | null): boolean {
  if (row === null) return false;
  if (key.endsWith('_commission_rate')) return row[key.replace('_rate', '_type')] === 'percentage';
  // In a scale the amount is the side's number; in a sale it is the commission itself, and its rate stands apart.
  if (
    key.endsWith('_commission_amount') &&
    !('status' in row) &&
    !('admin_validated' in row) &&
    !('contract_amount' in row) &&
    !(key.replace('_amount', '_rate') in row)
  ) {
    return row[key.replace('_amount', '_type')] === 'percentage';
  }
  return false;
}

function amountText(value: number | string): string {
  try {
    return formatEuros(fromWire(value));
  } catch {
    return String(value);
  }
}

function percentText(value: number | string): string {
  try {
    return formatPercent(percentFromWire(value));
  } catch {
    return String(value);
  }
}

function statusText(value: unknown): string {
  const sale = saleStatuses.find((status) => status === value);
  if (sale !== undefined && sale !== 'pending' && sale !== 'rejected') return saleChoiceLabels[sale];
  const doubt = doubtfulCaseStatuses.find((status) => status === value);
  if (doubt !== undefined) return doubtfulCaseStatusLabels[doubt];
  const request = paymentRequestStatuses.find((status) => status === value);
  return request === undefined ? String(value) : paymentRequestLabels[request];
}
