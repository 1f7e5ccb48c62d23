import { formatSignedEuros } from './dispute.ts';
import { formatEuros } from './money.ts';
import type { Cents } from './money.ts';
import { ofName } from './of-name.ts';
import type { Role } from './role.ts';
import { monthName } from './statement.ts';

/** Kinds of notices: each step of a referral, a contract and a payment request (TM-01, TM-03). */
export const noticeKinds = [
  'referral_received',
  'referral_contacted',
  'referral_in_negotiation',
  'referral_signed',
  'referral_refused',
  'referral_late',
  'referral_still_late',
  'call_back_due',
  'news_asked',
  'call_agreed',
  'call_declined',
  'friend_said_no',
  'contacts_to_erase',
  'appointment_asked',
  'referrals_imported',
  'client_alone',
  'commercial_asked',
  'client_received',
  'commercial_given',
  'contract_to_validate',
  'contract_validated',
  'contract_refused',
  'contract_annulled',
  'correction_asked',
  'payment_received',
  'payment_to_decide',
  'payment_approved',
  'payment_refused',
  'payment_paid',
  'payment_annulled',
  'payment_returned',
  'invoice_received',
  'invoice_accepted',
  'invoice_refused',
  'invoice_lapsed',
  'month_rejected',
  'month_returned',
  'iban_checked',
  'dispute_opened',
  'dispute_answered',
  'dispute_closed',
  'adjustment_annulled',
  'account_adjusted',
  'adjustment_to_confirm',
  'debt_repaid',
  'debt_waived',
  'debt_act_annulled',
  'waiver_to_confirm',
  'archive_ready',
  'archive_failed',
] as const;
export type NoticeKind = (typeof noticeKinds)[number];

/** A subject that a person chooses to be mailed about, or not (TM-02). */
export const noticeTopics = ['referrals', 'contracts', 'payments', 'data'] as const;
export type NoticeTopic = (typeof noticeTopics)[number];

/** Times at which a topic is mailed. On screen it always shows. */
export const noticeDeliveries = ['at_once', 'each_morning', 'never'] as const;
export type NoticeDelivery = (typeof noticeDeliveries)[number];

/** Delivery for a person who chose none. */
export const noticeDeliveryDefault: NoticeDelivery = 'at_once';

export const noticeDeliveryLabels: Readonly<Record<NoticeDelivery, string>> = {
  at_once: 'Tout de suite',
  each_morning: 'Chaque matin',
  never: 'Jamais',
};

/** The topics that concern a role, with what each holds for it. */
export const noticeTopicsFor: Readonly<
  Record<Role, readonly { readonly topic: NoticeTopic; readonly holds: string }[]>
> = {
  admin: [
    {
      topic: 'referrals',
      holds:
        'Les clients sans commercial, les parrainages que personne n’a contactés à temps, les contacts à effacer, les demandes de rendez-vous.',
    },
    { topic: 'contracts', holds: 'Les contrats qui attendent votre décision.' },
    { topic: 'payments', holds: 'Les demandes de paiement à traiter.' },
    { topic: 'data', holds: 'L’archive de toutes les données, quand un administrateur l’a demandée.' },
  ],
  commercial: [
    { topic: 'referrals', holds: 'Les clients et les parrainages que vous recevez, et ceux à relancer.' },
    { topic: 'contracts', holds: 'Les décisions sur vos contrats, et vos commissions.' },
    { topic: 'payments', holds: 'Un virement que la banque a rejeté, un IBAN que l’entreprise a vérifié.' },
  ],
  client: [
    { topic: 'referrals', holds: 'Où en sont les amis que vous avez recommandés.' },
    { topic: 'contracts', holds: 'Les décisions sur leurs contrats, et vos commissions.' },
    { topic: 'payments', holds: 'Chaque étape de vos demandes de paiement.' },
  ],
  comptable: [],
};

export const noticeTopicLabels: Readonly<Record<NoticeTopic, string>> = {
  referrals: 'Parrainages',
  contracts: 'Contrats et commissions',
  payments: 'Demandes de paiement',
  data: 'Données de l’entreprise',
};

export const noticeTopicOf: Readonly<Record<NoticeKind, NoticeTopic>> = {
  referral_received: 'referrals',
  referral_contacted: 'referrals',
  referral_in_negotiation: 'referrals',
  referral_signed: 'referrals',
  referral_refused: 'referrals',
  referral_late: 'referrals',
  referral_still_late: 'referrals',
  call_back_due: 'referrals',
  news_asked: 'referrals',
  call_agreed: 'referrals',
  call_declined: 'referrals',
  friend_said_no: 'referrals',
  contacts_to_erase: 'referrals',
  appointment_asked: 'referrals',
  referrals_imported: 'referrals',
  client_alone: 'referrals',
  commercial_asked: 'referrals',
  client_received: 'referrals',
  commercial_given: 'referrals',
  contract_to_validate: 'contracts',
  contract_validated: 'contracts',
  contract_refused: 'contracts',
  contract_annulled: 'contracts',
  correction_asked: 'contracts',
  payment_received: 'payments',
  payment_to_decide: 'payments',
  payment_approved: 'payments',
  payment_refused: 'payments',
  payment_paid: 'payments',
  payment_annulled: 'payments',
  payment_returned: 'payments',
  invoice_received: 'payments',
  invoice_accepted: 'payments',
  invoice_refused: 'payments',
  invoice_lapsed: 'payments',
  month_rejected: 'payments',
  month_returned: 'payments',
  iban_checked: 'payments',
  dispute_opened: 'payments',
  dispute_answered: 'payments',
  dispute_closed: 'payments',
  adjustment_annulled: 'payments',
  account_adjusted: 'payments',
  adjustment_to_confirm: 'payments',
  debt_repaid: 'payments',
  debt_waived: 'payments',
  debt_act_annulled: 'payments',
  waiver_to_confirm: 'payments',
  archive_ready: 'data',
  archive_failed: 'data',
};

/** Facts of a notice, as its recipient sees it now; null where they may no longer see it. */
export interface NoticeFacts {
  readonly kind: NoticeKind;
  readonly role: Role;
  /** The record that it is about; of all others, at most one is given. */
  readonly saleId: string | null;
  readonly requestId: string | null;
  readonly disputeId?: string | null;
  /** Of a debt that was repaid or waived, its payee (AC-05). */
  readonly debtorId?: string | null;
  /** A client who has no commercial, or has one since. */
  readonly clientId?: string | null;
  /** The month whose transfer the bank rejected (PO-05), or that an invoice is of (AC-04), « 2026-10-01 ». */
  readonly month?: string | null;
  /** The referred contact. */
  readonly contactName: string | null;
  /** Person who asks for a payment, follows a referral or referred it, or the client that it is about. */
  readonly personName: string | null;
  /** The recipient's commission, what is asked for, or what a dispute's end adjusts. */
  readonly amount: Cents | null;
  /** Of a refusal, an annulment or a return. */
  readonly reason: string | null;
  /** Of an annulment in part, what it leaves of the contract (LG-04). */
  readonly contractLeft?: Cents | null;
  /** Of the same, what it takes back of the contract, below zero, or adds to it (UI-11). */
  readonly contractAmount?: Cents | null;
  /** Of an import: how many referrals it brought the recipient (EX-04). */
  readonly howMany?: number | null;
}

export interface NoticeWords {
  /** « Paul Martin a été contacté »: one line, the mail's subject too. */
  readonly title: string;
  /** Meaning of the notice, or the action that it asks for; one or two sentences. */
  readonly text: string;
}

/** The words of a notice, the same on screen and in its mail. */
export function noticeWords({
  kind,
  role,
  contactName,
  personName,
  amount,
  reason,
  contractLeft = null,
  contractAmount = null,
  month = null,
  howMany = null,
}: NoticeFacts): NoticeWords {
  const contact = contactName ?? 'votre contact';
  const forContact = contactName === null ? '' : ` pour ${contactName}`;
  const sum = amount === null ? '' : ` de ${formatEuros(amount)}`;
  const because = reason === null ? '' : ` Raison : ${reason}`;
  switch (kind) {
    case 'referral_received':
      return {
        title: contactName === null ? 'Nouveau parrainage' : `Nouveau parrainage : ${contactName}`,
        text: personName === null ? 'Un contact vous est recommandé.' : `Recommandation de ${personName}.`,
      };
    case 'referral_contacted':
      return {
        title: `Premier contact avec ${contact}`,
        text: 'Votre commercial lui a parlé. La suite vous sera dite ici.',
      };
    case 'referral_in_negotiation':
      return {
        title: `Négociation en cours avec ${contact}`,
        text: 'Votre commercial lui a fait une proposition.',
      };
    case 'referral_signed':
      return {
        title: `${capitalized(contact)} a signé`,
        text: 'L’entreprise doit encore valider le contrat : votre commission sera alors acquise.',
      };
    case 'referral_refused':
      return { title: `${capitalized(contact)} n’a pas donné suite`, text: `Ce parrainage est clos.${because}` };
    case 'referral_late':
      return {
        title: `${capitalized(contact)} attend votre appel`,
        text: 'Personne ne lui a encore parlé. Appelez, puis dites où vous en êtes.',
      };
    case 'referral_still_late':
      return {
        title: `${capitalized(contact)} attend toujours d’être contacté`,
        text: personName === null ? 'Ce parrainage n’a pas de suite.' : `Suivi par ${personName}, déjà prévenu.`,
      };
    case 'call_back_due':
      return {
        title: `À relancer : ${contact}`,
        text: 'Vous aviez noté cette date.',
      };
    case 'call_agreed':
      return {
        title: contactName === null ? 'Un contact accepte d’être appelé' : `${contactName} accepte d’être appelé`,
        text: 'Vous pouvez l’appeler.',
      };
    case 'call_declined':
      return {
        title: contactName === null ? 'Un contact ne veut pas être appelé' : `${contactName} ne veut pas être appelé`,
        text: 'Répondez par écrit : cette personne ne doit pas être appelée.',
      };
    case 'friend_said_no':
      return {
        title: 'Un contact ne souhaite plus être contacté',
        text: 'À sa demande, son parrainage est clos et ses coordonnées sont effacées.',
      };
    case 'appointment_asked':
      return {
        title: 'Un visiteur demande un rendez-vous',
        text: 'Sa demande est sur votre vue d’ensemble : répondez-lui, puis marquez-la traitée.',
      };
    case 'contacts_to_erase':
      return {
        title: 'Des contacts vont être effacés',
        text: 'Ils n’ont pas de contrat, et rien ne s’est passé depuis longtemps. Lisez la liste dans « Ventes », et gardez ceux qu’il faut.',
      };
    case 'referrals_imported':
      return howMany === 1
        ? {
            title: 'Un nouveau parrainage, importé d’un fichier',
            text: 'L’entreprise l’a importé pour un de vos clients : il est dans « Parrainages reçus ».',
          }
        : {
            title: `${(howMany ?? 0).toLocaleString('fr-FR')} nouveaux parrainages, importés d’un fichier`,
            text: 'L’entreprise les a importés pour vos clients : ils sont dans « Parrainages reçus ».',
          };
    case 'client_alone':
      return {
        title: `${personName ?? 'Un client'} s’est inscrit sans commercial`,
        text: 'Aucun commercial ne suit ce compte, qui ne peut donc inviter personne. Attribuez-lui-en un dans « Clients ».',
      };
    case 'commercial_asked':
      return {
        title: `${personName ?? 'Un client'} demande un commercial`,
        text: 'Ce compte ne peut inviter personne tant que personne ne le suit. Attribuez-lui un commercial dans « Clients ».',
      };
    case 'client_received':
      return {
        title: personName === null ? 'Un nouveau client vous est attribué' : `Nouveau client : ${personName}`,
        text: 'Ses parrainages viendront chez vous. Présentez-vous : il attendait un commercial.',
      };
    case 'commercial_given':
      return {
        title: 'Un commercial vous suit désormais',
        text: 'Vous pouvez inviter vos amis : c’est lui qui les appellera.',
      };
    case 'news_asked':
      return {
        title: `Des nouvelles de ${contact} ?`,
        text: `${personName ?? 'Le parrain'} vous en demande. Mettez le parrainage à jour : chaque étape lui est dite.`,
      };
    case 'contract_to_validate':
      return {
        title: `Contrat à valider${contactName === null ? '' : ` : ${contactName}`}`,
        text: personName === null ? 'Un contrat attend votre décision.' : `Transmis par ${personName}.`,
      };
    case 'contract_validated':
      return {
        title: `Contrat validé${forContact}`,
        text: amount === null ? 'Les commissions sont acquises.' : `Votre commission${sum} est acquise.`,
      };
    case 'contract_refused':
      return {
        title: `Contrat refusé${forContact}`,
        text: `${role === 'client' ? 'L’entreprise n’a pas validé ce contrat.' : 'L’entreprise n’a pas validé ce contrat : vous pouvez le reprendre.'}${because}`,
      };
    case 'contract_annulled':
      if (contractLeft !== null && contractAmount !== null && contractAmount > 0n) {
        return {
          title: `Contrat augmenté${forContact}`,
          text: `Ce contrat est porté à ${formatEuros(contractLeft)}${amount === null || amount === 0n ? '' : ` : ${formatEuros(amount)} de commission s’ajoutent`}.${because}`,
        };
      }
      if (contractLeft !== null) {
        return {
          title: `Contrat réduit${forContact}`,
          text: `Ce contrat est ramené à ${formatEuros(contractLeft)}${amount === null || amount === 0n ? '' : ` : ${formatEuros(amount < 0n ? -amount : amount)} de commission sont repris`}.${because}`,
        };
      }
      return {
        title: `Validation annulée${forContact}`,
        text: `Ce contrat n’est plus validé${amount === null ? '' : ` : ${formatEuros(amount < 0n ? -amount : amount)} de commission sont repris`}.${because}`,
      };
    case 'correction_asked':
      return {
        title: `Contrat à corriger${contactName === null ? '' : ` : ${contactName}`}`,
        text: `Corrigez-le, puis transmettez-le de nouveau.${reason === null ? '' : ` À corriger : ${reason}`}`,
      };
    case 'dispute_opened':
      return {
        title:
          personName === null ? 'Une ligne de compte est contestée' : `${personName} conteste une ligne de son compte`,
        text: 'Lisez sa question et répondez-lui.',
      };
    case 'dispute_answered':
      return {
        title:
          role === 'admin' && personName !== null ? `Nouveau message de ${personName}` : 'Réponse à votre contestation',
        text: 'À propos d’une ligne de compte contestée.',
      };
    case 'dispute_closed':
      return {
        title: 'Votre contestation est close',
        text: `${amount === null ? '' : `Votre compte est ajusté de ${formatSignedEuros(amount)}. `}La réponse de l’entreprise est dans votre relevé.`,
      };
    case 'adjustment_annulled':
      return {
        title: `Un ajustement${amount === null ? '' : ` de ${formatSignedEuros(amount)}`} a été annulé`,
        text: 'L’entreprise dit pourquoi dans votre contestation ; l’opération inverse est dans votre relevé.',
      };
    case 'account_adjusted':
      return {
        title: amount === null ? 'Votre compte est ajusté' : `Votre compte est ajusté de ${formatSignedEuros(amount)}`,
        text: 'L’entreprise dit pourquoi dans votre relevé.',
      };
    case 'adjustment_to_confirm':
      return {
        title: `Ajustement à confirmer${personName === null ? '' : ` : ${personName}`}`,
        text: 'Il dépasse le montant qu’un administrateur décide seul. Lisez-le, puis confirmez-le ou retirez-le.',
      };
    case 'debt_repaid':
      return {
        title: `Remboursement${sum} enregistré`,
        text: 'L’entreprise l’a reçu. Le reçu est dans votre relevé.',
      };
    case 'debt_waived':
      return {
        title: `Vous ne devez plus cette somme${amount === null ? '' : ` : ${formatEuros(amount)}`}`,
        text: `L’entreprise abandonne cette dette.${because}`,
      };
    case 'debt_act_annulled':
      return {
        title: `Une opération${sum} sur votre dette a été annulée`,
        text: `Elle avait été enregistrée par erreur : l’opération inverse est dans votre relevé.${because}`,
      };
    case 'waiver_to_confirm':
      return {
        title: `Abandon de dette${sum} à confirmer`,
        text: `Il dépasse le montant qu’un administrateur décide seul.${personName === null ? '' : ` Dette de ${personName}.`}${because}`,
      };
    case 'archive_ready':
      return {
        title: 'L’archive de vos données est prête',
        text: 'Téléchargez-la dans les sept jours, dans les paramètres de l’entreprise. Le journal dit qui l’a demandée.',
      };
    case 'archive_failed':
      return {
        title: 'L’archive de vos données n’a pas pu être préparée',
        text: 'Demandez-la de nouveau dans les paramètres de l’entreprise. Si cela dure, prévenez qui s’occupe du serveur.',
      };
    case 'payment_received':
      return {
        title: `Demande de paiement${sum} reçue`,
        text: 'L’entreprise l’étudie. Ce montant est réservé pour vous en attendant.',
      };
    case 'payment_to_decide':
      return {
        title: `Demande de paiement${sum} à traiter`,
        text: personName === null ? 'Une demande attend votre décision.' : `Demandée par ${personName}.`,
      };
    case 'payment_approved':
      return { title: `Demande de paiement${sum} approuvée`, text: 'Elle sera payée prochainement.' };
    case 'payment_refused':
      return {
        title: `Demande de paiement${sum} refusée`,
        text: `Ce montant est de nouveau disponible.${because}`,
      };
    case 'payment_paid':
      return { title: `Demande de paiement${sum} payée`, text: 'L’entreprise l’a marquée comme payée.' };
    case 'payment_returned':
      return {
        title: `Votre virement${sum} est revenu de la banque`,
        text: `Ce montant est de nouveau disponible : vérifiez votre IBAN, puis refaites une demande.${because}`,
      };
    case 'invoice_received':
      return {
        title: `Facture reçue${personName === null ? '' : ` : ${personName}`}`,
        text:
          month === null
            ? `Vérifiez-la dans la demande de paiement${sum}, puis acceptez-la ou refusez-la.`
            : `Vérifiez-la dans « Commissions des commerciaux », ${monthName(month)}, puis acceptez-la ou refusez-la.`,
      };
    case 'invoice_accepted':
      return { title: 'Votre facture est acceptée', text: `Le virement${sum} peut partir.` };
    case 'invoice_refused':
      return {
        title: 'Votre facture est refusée',
        text: `Lisez pourquoi dans « ${month === null ? 'Demandes de Paiement' : 'Mon compte'} », corrigez-la, puis envoyez-la de nouveau.`,
      };
    case 'invoice_lapsed':
      return {
        title: 'Votre facture n’est plus du bon montant',
        text: `La somme due${month === null ? '' : ` pour ${monthName(month)}`} a changé. Envoyez-en une autre dans « Mon compte ».`,
      };
    case 'month_rejected':
    case 'month_returned': {
      const transfer = `le virement de vos commissions${month === null ? '' : ` ${ofName(monthName(month))}`}`;
      return {
        title:
          kind === 'month_rejected'
            ? `La banque a rejeté ${transfer}`
            : capitalized(`${transfer} est revenu de la banque`),
        text: `${amount === null ? 'Cette somme' : formatEuros(amount)} vous ${amount === null ? 'reste due' : 'restent dus'} : vérifiez votre compte bancaire dans « Profil ».${because}`,
      };
    }
    case 'iban_checked':
      return {
        title: 'Votre IBAN peut servir dès maintenant',
        text: `Un administrateur l’a vérifié : « ${reason ?? ''} ». Si ce n’est pas avec vous, prévenez votre entreprise tout de suite.`,
      };
    case 'payment_annulled':
      return {
        title: 'Votre demande de paiement attend une nouvelle décision',
        text: `L’approbation de votre demande${sum} a été annulée : elle n’est pas payée. Ce montant reste réservé pour vous.${because}`,
      };
  }
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
