-- CS-04: admins are told of contacts about to be forgotten. It stands after 0410, whose list of kinds this one takes further.
alter table public.notices drop constraint notices_kind_is_known;
alter table public.notices add constraint notices_kind_is_known check (kind in (
  'referral_received', 'referral_contacted', 'referral_in_negotiation', 'referral_signed', 'referral_refused',
  'referral_late', 'referral_still_late', 'call_back_due', 'news_asked', 'call_agreed', 'call_declined', 'contacts_to_erase',
  'contract_to_validate', 'contract_validated', 'contract_refused', 'contract_annulled',
  'payment_received', 'payment_to_decide', 'payment_approved', 'payment_refused', 'payment_paid', 'payment_annulled',
  'payment_returned', 'dispute_opened', 'dispute_answered', 'dispute_closed', 'adjustment_annulled',
  'archive_ready', 'archive_failed'));
