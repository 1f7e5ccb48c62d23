import { correctedAmountInvalid, correctionMessageRequired } from './correction-messages.ts';
import { apiKeyEndIsOver, apiKeyScopeLabels, isApiKeyScope } from './api-key.ts';
import { adjustmentOutOfRange, disputeMessageRequired } from './dispute.ts';
import { holdSentence, holdsFromWire } from './cleaning.ts';
import * as messages from './messages.ts';
import { formatEuros, fromWire, type Cents, groupThousands } from './money.ts';
import { ibanUsableFrom } from './payment-batch.ts';
import { accountCheckRequired } from './payment-messages.ts';
import { requestDaysText } from './request-rules.ts';
import { isRole } from './role.ts';
import { unreadableSentence } from './table-file.ts';

/** Parameters of a failure's sentence: amounts are euros as decimal text (« 123.46 »). */
export type FailureParams = Readonly<Record<string, unknown>>;

/** One thing wrong in a payload: where, and the French sentence. */
export interface FailureIssue {
  readonly path: readonly (string | number)[];
  readonly message: string;
  /** Current value of the field, where somebody else changed it meanwhile (DF-34). */
  readonly current?: unknown;
}

interface FailureKind {
  readonly status: number;
  readonly message: string | ((params: FailureParams) => string);
  /** The field of the form that is to be mended, where it is one. */
  readonly field?: string;
}

/**
 * Every way the product refuses, and nothing else: the HTTP status and the French sentence of each.
 * The database raises the same codes; a code that is not here is a bug.
 */
const failures = {
  session_expired: { status: 401, message: sessionExpired },
  invalid_credentials: { status: 401, message: 'E-mail ou mot de passe incorrect' },
  email_not_confirmed: {
    status: 403,
    message: 'Confirmez votre adresse avec le lien que nous vous avons envoyé par e-mail.',
  },
  account_disabled: { status: 403, message: messages.accountDisabled },
  registration_closed: {
    status: 403,
    message: 'Les inscriptions sont fermées : demandez une invitation à votre entreprise.',
  },
  captcha_failed: {
    status: 403,
    message: 'La vérification « je ne suis pas un robot » n’a pas abouti. Recommencez-la.',
  },
  password_change_required: {
    status: 403,
    message: 'Vous devez choisir un nouveau mot de passe avant de continuer.',
  },
  second_factor_required: {
    status: 403,
    message: 'Votre compte est protégé par une deuxième étape : confirmez votre identité pour continuer.',
  },
  two_factor_setup_required: {
    status: 403,
    message:
      'Votre entreprise demande une deuxième étape de connexion aux administrateurs : activez-la pour continuer.',
  },
  forbidden: { status: 403, message: 'Vous n’avez pas le droit d’effectuer cette action.' },
  not_found: { status: 404, message: 'Ce que vous cherchez n’existe pas.' },
  invalid_input: { status: 400, message: messages.inputInvalid },
  action_unknown: { status: 400, message: 'Cette action n’existe pas.' },

  sale_not_found: { status: 404, message: 'Ce parrainage n’existe pas.' },
  sale_not_selected: { status: 400, message: messages.saleNotSelected },
  sale_not_editable: { status: 409, message: messages.saleNotEditable },
  sale_changed: {
    status: 409,
    message: 'Cette vente a changé depuis que vous l’avez affichée. Vérifiez-la avant de décider.',
  },
  sale_move_final: {
    status: 409,
    message: 'Ce parrainage a changé entre-temps, ou il est trop tard : choisissez vous-même son statut.',
  },
  sale_already_decided: { status: 409, message: 'Une décision a déjà été prise sur ce contrat.' },
  sale_not_ready: { status: 409, message: 'Ce contrat n’attend pas de validation.' },
  sale_without_commercial: { status: 409, message: 'Cette vente n’a pas de commercial : attribuez-la d’abord.' },
  corrected_amount_out_of_range: {
    status: 400,
    message: ({ left }) => messages.correctedAmountOutOfRange(euros(left)),
  },
  corrected_amount_invalid: {
    status: 400,
    message: ({ left }) => correctedAmountInvalid(euros(left)),
  },
  contract_not_correctable: { status: 409, message: 'Ce contrat ne peut pas être corrigé.' },
  contract_cannot_grow: {
    status: 409,
    message: 'Ce contrat ne peut pas être augmenté : sa commission est en vérification, ou reprise.',
  },
  correction_message_required: { status: 400, message: correctionMessageRequired },
  sale_not_cancellable: { status: 409, message: 'La validation de cette vente ne peut pas être annulée.' },
  contract_details_required: { status: 400, message: messages.contractDetailsRequired },
  refusal_reason_required: { status: 400, message: messages.refusalReasonRequired },
  decision_required: { status: 400, message: messages.decisionRequired },
  changed_meanwhile: { status: 409, message: messages.recordChanged },
  seen_required: { status: 428, message: messages.seenRequired },
  self_validation: {
    status: 403,
    message: 'Vous êtes parrain de cette vente : un autre administrateur doit en décider.',
  },

  scale_not_found: { status: 404, message: 'Ce barème n’existe pas.' },
  first_scale_exists: { status: 409, message: messages.firstScaleExists },
  scale_archived: { status: 409, message: 'Ce barème est archivé : choisissez-en un autre.' },
  scale_day_is_over: { status: 400, message: 'Choisissez aujourd’hui ou un jour à venir, d’ici deux ans.' },
  scale_rules_wrong: { status: 400, message: 'Vérifiez les règles du barème.' },
  scale_is_over: { status: 409, message: 'Ce barème est terminé. Choisissez-en un autre.' },
  scale_version_begun: { status: 409, message: 'Cette version sert déjà : elle ne se retire plus.' },
  version_reason_required: { status: 400, message: messages.versionReasonRequired },
  scale_in_use: { status: 409, message: 'Ce barème a servi à une vente : il peut être archivé, pas modifié.' },

  message_required: { status: 400, message: disputeMessageRequired },
  line_not_found: { status: 404, message: 'Cette ligne n’est pas sur votre compte.' },
  line_already_disputed: {
    status: 409,
    message: 'Cette ligne a déjà été contestée : la réponse est sous cette ligne.',
  },
  case_not_found: { status: 404, message: 'Ce cas n’existe plus.' },
  case_changed: {
    status: 409,
    message: 'Ce cas a changé depuis que vous l’avez affiché : relisez-le avant de décider.',
  },
  request_under_check: {
    status: 409,
    message: 'Un cas douteux concerne cette demande : décidez-le d’abord, ou refusez la demande.',
  },
  case_already_decided: { status: 409, message: 'Ce cas est déjà décidé.' },
  dispute_not_found: { status: 404, message: 'Cette contestation n’existe pas.' },
  dispute_closed: { status: 409, message: 'Cette contestation est close.' },
  adjustment_out_of_range: {
    status: 400,
    message: ({ given }) => adjustmentOutOfRange(euros(given)),
  },
  adjustment_not_found: { status: 409, message: 'Cette contestation n’a donné aucun ajustement.' },
  adjustment_annulled: { status: 409, message: 'Cet ajustement a déjà été annulé.' },
  account_changed: { status: 409, message: 'Ce compte a changé : relisez-le.' },
  debt_changed: {
    status: 409,
    message: ({ debt }) => `Cette personne doit ${formatEuros(euros(debt))} : reprenez le montant.`,
  },
  debt_act_waits: { status: 409, message: 'Un autre administrateur doit d’abord décider.' },
  dispute_changed: { status: 409, message: 'Un message est arrivé depuis : lisez-le avant de clore.' },
  amount_out_of_range: { status: 400, message: amountOutOfRange },
  method_not_offered: { status: 409, message: 'Ce moyen de paiement n’est plus proposé : choisissez-en un autre.' },
  requests_closed: { status: 409, message: requestsClosed },
  period_not_over: { status: 400, message: 'Ce mois n’est pas fini : il se paie à partir du mois suivant.' },
  period_already_paid: { status: 409, message: 'Ce mois a déjà été payé, seul ou avec un mois suivant.' },
  period_in_batch: {
    status: 409,
    message:
      'Ce commercial est dans un virement groupé : retirez-le du brouillon, ou indiquez le résultat de sa ligne.',
  },
  period_carried_on: {
    status: 409,
    message: 'Rien n’est à payer pour ce mois : son solde est reporté sur le mois suivant.',
  },
  period_changed: {
    status: 409,
    message: 'Le montant à payer a changé depuis que vous l’avez affiché. Vérifiez-le avant de payer.',
  },
  batch_not_found: { status: 404, message: 'Ce virement groupé n’existe pas.' },
  batch_illegal_move: { status: 409, message: 'L’état de ce virement groupé ne permet pas cette action.' },
  batch_changed: {
    status: 409,
    message: 'Ce virement groupé a changé depuis que vous l’avez affiché. Vérifiez-le avant de décider.',
  },
  batch_mixes_test_data: {
    status: 409,
    message: 'Un virement groupé ne mêle pas de vraies demandes et des demandes de test.',
  },
  batch_blocked: { status: 409, message: batchBlocked },
  proof_refused: { status: 400, message: 'Joignez un PDF ou une image (PNG, JPEG, WebP) de 5 Mo au plus.' },
  settlement_known: { status: 409, message: 'Cette référence est déjà notée, et ne change plus.' },
  proof_not_found: { status: 404, message: 'Cette demande n’a pas de justificatif.' },
  invoice_not_offered: { status: 409, message: 'Aucune facture n’est attendue pour ce paiement.' },
  invoice_too_late: {
    status: 409,
    message: 'Trop tard : cette facture ou son paiement est déjà traité.',
  },
  invoice_number_taken: { status: 409, message: 'Une autre de vos factures porte déjà ce numéro.', field: 'number' },
  invoice_file_taken: { status: 409, message: 'Ce fichier est déjà la facture d’un autre paiement.', field: 'file' },
  invoice_mismatch: { status: 409, message: 'Le jour ou les montants ne vont pas avec ce qui est à payer.' },
  invoice_vat_waits: { status: 409, message: 'Acceptez d’abord sa TVA, ou refusez la facture si elle a changé.' },
  invoice_waits: { status: 409, message: 'Sa facture attend : acceptez-la ou refusez-la avant de payer.' },
  payment_day_refused: {
    status: 422,
    message: 'Ce jour est à venir, ou trop ancien pour ce paiement : choisissez-en un autre.',
  },
  iban_not_usable_yet: { status: 409, message: ibanNotUsableYet },
  iban_refused_by_bank: { status: 409, message: 'La banque a refusé ce compte : donnez l’IBAN d’un autre.' },
  bic_required: { status: 400, message: 'Hors de l’Espace économique européen, donnez aussi le BIC et l’adresse.' },
  account_check_required: {
    status: 400,
    message: accountCheckRequired,
  },
  iban_link_unknown: {
    status: 404,
    message: 'Ce lien n’est pas reconnu : ouvrez-le depuis l’e-mail reçu, en entier.',
  },
  papers_none: { status: 404, message: 'Aucune pièce de paiement n’a été établie sur cette période.' },
  payee_incomplete: { status: 409, message: payeeIncomplete },
  payee_is_company: {
    status: 409,
    message: messages.payeeIsCompany,
    field: 'siren',
  },
  company_is_payee: {
    status: 409,
    message: 'Ce SIREN est celui d’un de vos bénéficiaires.',
    field: 'siren',
  },
  payee_abroad: { status: 409, message: payeeAbroad },
  mandate_changed: {
    status: 409,
    message: 'Le mandat a changé depuis que vous l’avez affiché. Relisez-le avant de l’accepter.',
  },
  vat_changed: {
    status: 409,
    message: 'Ce numéro de TVA n’est pas celui que déclare ce bénéficiaire. Relisez ses informations légales.',
  },
  vat_number_unknown: {
    status: 409,
    message: 'Le registre européen (VIES) ne connaît pas ce numéro de TVA : demandez-le de nouveau au bénéficiaire.',
  },
  mandate_not_offered: {
    status: 409,
    message:
      'Aucun mandat ne peut être accepté : il est réservé aux micro-entrepreneurs, agents commerciaux et sociétés, et outre-mer à qui ne facture pas la TVA. Vérifiez vos informations légales.',
  },
  payee_unknown: { status: 404, message: 'Ce bénéficiaire n’existe pas, ou son compte est fermé.' },
  batch_line_unknown: { status: 400, message: 'Une de ces lignes n’est pas de ce virement groupé.' },
  batch_line_twice: { status: 400, message: messages.batchLineTwice },
  batch_line_decided: { status: 409, message: 'Une de ces lignes a déjà un autre résultat.' },
  request_in_batch: {
    status: 409,
    message: 'Cette demande est dans un virement groupé : retirez-la du brouillon, ou indiquez son résultat.',
  },
  execution_day_refused: {
    status: 400,
    message: 'Choisissez un jour ouvré bancaire, dans les soixante jours.',
  },
  second_admin_required: {
    status: 403,
    message:
      'Au-dessus du montant fixé par l’entreprise, un autre administrateur que vous doit valider ce virement groupé.',
  },
  too_many_open_requests: {
    status: 409,
    message: ({ most }) =>
      `Vous avez déjà ${String(most)} demandes en attente : attendez qu’elles soient traitées, ou faites-en une seule.`,
  },
  second_admin_to_confirm: {
    status: 403,
    message: 'Un autre administrateur que celui qui l’a demandé doit confirmer ce changement.',
  },
  control_change_over: { status: 409, message: 'Ce changement n’attend plus.' },
  company_account_missing: {
    status: 409,
    message: 'Indiquez d’abord le compte de l’entreprise, dans les réglages des paiements.',
  },
  bank_file_unknown: {
    status: 400,
    message: ({ cause, line }) =>
      `${unreadableSentence(cause, line)}. Donnez un pain.002, un camt.052, 053 ou 054, ou l’export du virement (CSV ou Excel) avec ses résultats.`,
  },
  balance_in_debt: {
    status: 409,
    message:
      'Un contrat a été annulé ou réduit après paiement : aucune demande n’est possible tant que le solde est négatif.',
  },
  request_not_found: { status: 404, message: 'Cette demande de paiement n’existe pas.' },
  request_illegal_move: { status: 409, message: 'L’état de cette demande ne permet pas cette action.' },
  request_changed: {
    status: 409,
    message: 'Cette demande a changé depuis que vous l’avez affichée. Vérifiez-la avant de décider.',
  },
  beneficiary_unavailable: {
    status: 409,
    message: 'Le bénéficiaire n’est plus disponible : le paiement est bloqué.',
  },

  client_changed: {
    status: 409,
    message: 'Ce client a changé de commercial depuis que vous l’avez affiché. Vérifiez avant de le confier.',
  },
  client_not_found: { status: 404, message: 'Ce client n’existe pas.' },
  client_has_revenue: { status: 409, message: messages.clientHasRevenue },
  client_has_commission: {
    status: 409,
    message: 'Impossible de supprimer ce client car une commission lui est attribuée.',
  },
  client_has_open_request: {
    status: 409,
    message: 'Impossible de supprimer ce client car il a une demande de paiement en cours.',
  },
  client_has_live_referral: {
    status: 409,
    message: 'Impossible de supprimer ce client car il a un parrainage en cours.',
  },
  commercial_not_found: { status: 404, message: 'Ce commercial n’existe pas.' },
  commercial_has_dependents: {
    status: 409,
    message: 'Ce commercial a des clients ou des ventes : il peut être désactivé, pas supprimé.',
  },
  email_taken: { status: 409, message: messages.emailTaken },
  invitation_not_pending: {
    status: 404,
    message:
      'Aucune invitation n’attend pour cette personne : elle s’est déjà connectée, ou n’est plus dans votre équipe.',
  },
  friend_already_invited: {
    status: 409,
    message: saidToWhom('Vous avez déjà invité cette personne.', 'Ce client a déjà invité cette personne.'),
  },
  // CS-02: it does not say by whom.
  friend_referred_before: {
    status: 409,
    message: 'Cette personne a déjà été parrainée : le premier parrainage compte.',
  },
  friend_is_client: {
    status: 409,
    message: 'Cette personne est déjà cliente : un parrainage fait connaître l’entreprise à quelqu’un de nouveau.',
  },
  friend_is_staff: {
    status: 409,
    message:
      'Cette adresse est celle d’un membre de l’entreprise : un parrainage fait connaître l’entreprise à quelqu’un de nouveau.',
  },
  address_not_proven: {
    status: 403,
    message:
      'Confirmez d’abord que votre adresse est bien la vôtre : le bouton « Confirmez votre adresse » de « Mes Parrainages » vous envoie un lien.',
  },
  commercial_missing: {
    status: 409,
    message: saidToWhom(
      'Aucun commercial ne vous suit pour l’instant : demandez à l’entreprise de vous en attribuer un, puis invitez vos amis.',
      'Aucun commercial ne suit ce client : attribuez-lui-en un, puis recommencez.',
    ),
  },
  personal_link_closed: {
    status: 404,
    message: 'Ce lien n’est plus actif : demandez-en un autre à la personne qui vous l’a donné.',
  },
  friend_opted_out: { status: 409, message: 'Cette personne a demandé à ne pas être contactée.' },
  friend_without_email: {
    status: 409,
    message: 'Ce contact n’a pas d’adresse e-mail : demandez-la au parrain.',
  },
  friend_declined: {
    status: 409,
    message: 'Cette personne a répondu non : ne l’appelez pas et ne lui écrivez pas.',
  },
  friend_already_written: {
    status: 409,
    message: 'Vous avez déjà écrit à cette personne : attendez sa réponse.',
  },
  friend_written_freely: {
    status: 409,
    message: 'Vous pouvez désormais écrire librement à cette personne : actualisez la page.',
  },
  opt_out_link_unknown: {
    status: 404,
    message: 'Ce lien n’est pas reconnu : ouvrez-le depuis l’e-mail reçu, ou répondez « STOP » à cet e-mail.',
  },
  rules_changed: {
    status: 409,
    message:
      'Une autre version des règles est en vigueur depuis que vous les avez affichées. Relisez-les, puis recommencez.',
  },
  simulation_changed: {
    status: 409,
    message: 'Un contrat a été validé ou corrigé depuis la simulation\u00a0: simulez de nouveau avant de publier.',
  },
  rules_unchanged: { status: 409, message: 'Rien ne change : c’est déjà la version en vigueur.' },
  contact_not_announced: {
    status: 409,
    message: 'Ce contact n’est plus à effacer : il a été gardé, contacté ou effacé depuis que vous l’avez affiché.',
  },
  call_back_is_past: {
    status: 400,
    message: 'Choisissez aujourd’hui ou une date à venir.',
    field: 'call_back_on',
  },
  news_not_expected: { status: 409, message: 'Ce parrainage n’attend plus de nouvelles.' },
  news_already_asked: {
    status: 409,
    message: 'Vous avez déjà demandé des nouvelles de ce parrainage : vous pourrez le refaire après trente jours.',
  },
  self_referral: {
    status: 400,
    message: saidToWhom('Vous ne pouvez pas vous parrainer vous-même.', 'Un client ne peut pas se parrainer lui-même.'),
  },
  profile_not_loaded: { status: 409, message: messages.profileNotLoaded },

  closure_not_found: { status: 404, message: 'Cette demande de fermeture n’existe pas.' },
  closure_already_asked: { status: 409, message: 'Vous avez déjà demandé la fermeture de votre compte.' },
  closure_already_decided: { status: 409, message: 'Une décision a déjà été prise sur cette demande de fermeture.' },
  closure_with_open_request: { status: 409, message: closureHeld },
  own_closure: { status: 403, message: 'Un autre administrateur doit décider de la fermeture de votre compte.' },
  last_admin: {
    status: 409,
    message: 'Vous êtes le seul administrateur : votre entreprise ne pourrait plus se connecter.',
  },

  logo_type_refused: { status: 400, message: messages.logoTypeRefused },
  logo_too_large: { status: 413, message: messages.logoTooLarge },
  cleaning_disabled: { status: 403, message: 'Le nettoyage de la base est désactivé sur cette installation.' },
  cleaning_held: { status: 409, message: cleaningHeld },
  confirmation_required: {
    status: 400,
    message: 'Pour confirmer, saisissez le nom de l’entreprise tel qu’il est affiché.',
  },
  reauthentication_required: {
    status: 403,
    message: 'Votre connexion date de plus de dix minutes : reconnectez-vous avant de continuer.',
  },

  referral_unknown: {
    status: 404,
    message:
      'Aucun parrainage ne porte cette référence : indiquez « referrer_email » et « name » pour le créer, ou vérifiez-la.',
  },
  referrer_not_found: {
    status: 404,
    message:
      'Aucun client actif n’a cette adresse : « referrer_email » est celle du parrain, telle que Parrain la connaît.',
  },
  api_key_refused: {
    status: 401,
    message: 'Cette clé d’API est inconnue, révoquée ou expirée : demandez-en une autre à un administrateur.',
  },
  api_key_in_browser: {
    status: 401,
    message: 'Une clé d’API ne s’utilise pas dans un navigateur, où chacun la lirait : appelez depuis un serveur.',
  },
  api_key_not_found: { status: 404, message: 'Cette clé n’existe pas.' },
  api_key_name_taken: { status: 409, message: 'Une clé porte déjà ce nom : choisissez-en un autre.' },
  api_keys_full: { status: 422, message: 'L’entreprise a déjà 50 clés : révoquez-en une avant d’en créer une autre.' },
  api_key_end_is_over: { status: 400, message: apiKeyEndIsOver },
  scope_missing: { status: 403, message: scopeMissing },
  view_reads: {
    status: 403,
    message: 'Cet écran est celui d’une autre personne, en lecture seule : revenez au vôtre pour agir.',
  },
  key_closed: {
    status: 403,
    message: 'Cette action n’est pas ouverte aux clés d’API : un administrateur la fait à l’écran.',
  },
  key_only_pays: {
    status: 403,
    message: 'Une clé d’API marque payée une demande approuvée : un administrateur l’approuve ou la refuse à l’écran.',
  },
  idempotency_key_reused: {
    status: 422,
    message: 'Cette clé d’idempotence a déjà servi pour une autre demande.',
  },
  request_in_progress: { status: 409, message: 'La même demande est en cours de traitement.' },
  rate_limited: { status: 429, message: (params) => `Trop de tentatives. Réessayez ${waitOf(params)}.` },
  daily_limit: {
    status: 429,
    message: (params) => `Vous avez atteint la limite du jour pour cette action. Réessayez ${waitOf(params)}.`,
  },
  mail_limit: {
    status: 429,
    message: (params) =>
      `Trop de messages sont partis d’ici : aucun autre ne peut être envoyé pour l’instant. Réessayez ${waitOf(params)}.`,
  },
  payload_too_large: { status: 413, message: 'La demande est trop volumineuse.' },
  method_not_allowed: { status: 405, message: 'Cette méthode n’est pas autorisée.' },
  exports_busy: { status: 429, message: 'Trop d’exports sont en cours. Réessayez dans quelques instants.' },
  export_too_long: {
    status: 422,
    message: 'Cette liste a plus de lignes qu’un classeur Excel n’en contient : exportez-la en CSV, ou filtrez-la.',
  },
  statement_too_long: {
    status: 422,
    message:
      'Ce relevé a plus de 2\u202f000 lignes, trop pour un PDF : prenez-le en CSV, ou choisissez une période plus courte.',
  },
  accounting_month_not_over: {
    status: 422,
    message: 'Ce mois n’est pas terminé : il pourra être clos le mois prochain.',
  },
  accounting_month_closed: {
    status: 409,
    message: 'Le journal comptable est clos à cette date : choisissez un jour d’un mois ouvert.',
  },
  accounting_vat_unknown: {
    status: 409,
    message: 'Remplissez d’abord « Réglages des pièces » : la TVA en dépend.',
  },
  accounting_code_taken: { status: 409, message: 'Ce code est déjà celui d’un autre bénéficiaire.' },
  archive_gone: {
    status: 404,
    message: 'Cette archive n’est plus disponible : demandez-en une autre dans les paramètres.',
  },
  period_unknown: {
    status: 404,
    message: 'Cette période n’existe pas : demandez une année (2026), un trimestre (2026-t4) ou un mois (2026-11).',
  },
  statements_none: { status: 422, message: 'Aucun compte n’a bougé à cette période : choisissez-en une autre.' },
  list_views_full: { status: 422, message: 'Vous gardez déjà 50 vues : supprimez-en une avant d’en ajouter.' },
  webhooks_full: { status: 422, message: 'Vous avez déjà 10 webhooks : supprimez-en un avant d’en ajouter.' },
  webhook_not_found: { status: 404, message: 'Ce webhook n’existe plus.' },
  webhook_delivery_not_found: { status: 404, message: 'Cet envoi n’est plus dans le journal.' },
  import_file_unknown: {
    status: 400,
    message: ({ cause, line }) =>
      `${unreadableSentence(cause, line)}. Choisissez un fichier CSV, Excel (.xlsx) ou LibreOffice (.ods), sans mot de passe.`,
  },
  file_being_read: {
    status: 429,
    message: 'Un de vos fichiers est déjà en cours de lecture : attendez qu’il soit lu.',
  },
  import_file_too_large: { status: 413, message: 'Ce fichier dépasse 5 Mo : importez-le en plusieurs fois.' },
  import_empty: { status: 400, message: 'Ce fichier ne contient aucune ligne sous ses titres.' },
  import_too_long: { status: 422, message: importTooLong },
  import_not_found: { status: 404, message: 'Ce fichier n’attend plus : choisissez-le à nouveau.' },
  import_changed: {
    status: 409,
    message: 'Des comptes ou des parrainages ont changé depuis la vérification : vérifiez le fichier à nouveau.',
  },
  unavailable: { status: 503, message: 'Le service est momentanément indisponible. Réessayez dans quelques instants.' },
  unexpected: { status: 500, message: 'Une erreur inattendue est survenue.' },
} as const satisfies Readonly<Record<string, FailureKind>>;

export type FailureCode = keyof typeof failures;

/** Every code, for those who check that nothing raises another. */
export const failureCodes = Object.keys(failures).filter(isFailureCode);

/** True when a text from outside (SQL, the wire) is one of the codes. */
export function isFailureCode(value: unknown): value is FailureCode {
  return typeof value === 'string' && Object.hasOwn(failures, value);
}

/** True when the session itself is refused, whatever the request was: the user goes on at the authentication door. */
export function isSessionFailure(code: FailureCode): boolean {
  return SESSION_FAILURES.has(code);
}

const SESSION_FAILURES: ReadonlySet<FailureCode> = new Set([
  'session_expired',
  'password_change_required',
  'second_factor_required',
  'two_factor_setup_required',
]);

/** The HTTP status that answers a failure. */
export function failureStatus(code: FailureCode): number {
  return failures[code].status;
}

/** The French sentence of a failure (E-01). */
export function failureMessage(code: FailureCode, params: FailureParams = {}): string {
  const { message }: FailureKind = failures[code];
  return typeof message === 'string' ? message : message(params);
}

/**
 * An expected refusal, thrown by whoever finds it and turned once into a reply at the edge.
 * An invalid input says the first thing that is wrong with it, and carries every other in its issues.
 */
export class Failure extends Error {
  readonly code: FailureCode;
  readonly params: FailureParams;
  readonly issues: readonly FailureIssue[];

  constructor(code: FailureCode, params: FailureParams = {}, issues: readonly FailureIssue[] = []) {
    super(code === 'invalid_input' && issues[0] !== undefined ? issues[0].message : failureMessage(code, params));
    this.name = 'Failure';
    this.code = code;
    this.params = params;
    const { field }: FailureKind = failures[code];
    this.issues = field === undefined || issues.length > 0 ? issues : [{ path: [field], message: this.message }];
  }

  get status(): number {
    return failureStatus(this.code);
  }
}

/** Text of the delay before a retry, in the unit that people count in, rounded up. */
function waitOf(params: FailureParams): string {
  const seconds = params['retryAfterSeconds'];
  if (typeof seconds !== 'number' || seconds <= 60) return 'dans quelques instants';
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? `dans ${minutes} minutes` : `dans ${Math.ceil(minutes / 60)} h`;
}

function sessionExpired(params: FailureParams): string {
  const role = params['role'];
  return messages.sessionExpired[isRole(role) ? role : 'commercial'];
}

/** Sentence naming the amounts that keep an account open, and the remedy for each (FX-10). */
function closureHeld(params: FailureParams): string {
  const [pending, approved] = [euros(params['pending']), euros(params['approved'])];
  const held = [
    ...(approved > 0n
      ? [
          `${formatEuros(approved)} approuvés et pas encore payés (marquez-les payés, ou annulez l’approbation puis refusez)`,
        ]
      : []),
    ...(pending > 0n ? [`${formatEuros(pending)} demandés et en attente (approuvez et payez, ou refusez)`] : []),
  ];
  if (held.length === 0) return 'Ce client a une demande de paiement en cours : traitez-la avant de fermer son compte.';
  return `Ce compte ne peut pas encore être fermé : il reste ${held.join(', et ')}.`;
}

/** Sentence naming the real data that a cleaning would break (FX-02). */
function cleaningHeld(params: FailureParams): string {
  const sentences = holdsFromWire(params['held_by']).map(holdSentence);
  return [
    'Rien n’a été supprimé : des données réelles tiennent à des données de test.',
    ...sentences.map((sentence) => `${sentence}.`),
  ].join(' ');
}

/** To the client who refers, or to who does it in their place (`isInTheirPlace`): an admin, or other software. */
function saidToWhom(toClient: string, toOthers: string): (params: FailureParams) => string {
  return ({ isInTheirPlace }) => (isInTheirPlace === true ? toOthers : toClient);
}

function importTooLong({ most }: FailureParams): string {
  const lines = typeof most === 'number' ? `plus de ${groupThousands(String(most))} lignes` : 'trop de lignes';
  return `Ce fichier a ${lines} : importez-le en plusieurs fois.`;
}

function euros(value: unknown): Cents {
  return typeof value === 'string' || typeof value === 'number' ? fromWire(value) : 0n;
}

function scopeMissing({ scope }: FailureParams): string {
  const label = isApiKeyScope(scope) ? ` « ${apiKeyScopeLabels[scope]} »` : '';
  return `Cette clé d’API n’a pas le droit${label} : créez-en une qui l’a.`;
}

function payeeIncomplete({ payees }: FailureParams): string {
  const who = typeof payees === 'string' && payees !== '' ? ` de ${payees}` : '';
  return `Il manque les informations légales${who}, que demandent les pièces de paiement. Complétez-les dans la fiche, ou demandez-les.`;
}

function payeeAbroad({ payees, reason }: FailureParams): string {
  const who = typeof payees === 'string' ? ` pour payer ${payees}` : '';
  return reason === 'overseas'
    ? `Hors de France, voyez votre expert-comptable${who}.`
    : `Hors de France, l’entreprise doit demander un numéro de TVA (article 286 ter du CGI)${who}.`;
}

function batchBlocked(params: FailureParams): string {
  const payees = typeof params['payees'] === 'string' ? params['payees'] : '';
  return `Ces bénéficiaires ne peuvent pas être payés, retirez-les : ${payees}.`;
}

function ibanNotUsableYet(params: FailureParams): string {
  return ibanUsableFrom(typeof params['from'] === 'string' ? params['from'] : null);
}

function requestsClosed(params: FailureParams): string {
  const { from, to } = params;
  const days = typeof from === 'number' && typeof to === 'number' ? requestDaysText({ from, to }) : 'à certaines dates';
  return `Les demandes de paiement sont ouvertes ${days}.`;
}

function amountOutOfRange(params: FailureParams): string {
  const smallest = params['smallest'];
  return messages.amountOutOfRange(euros(params['available']), smallest === undefined ? undefined : euros(smallest));
}
