-- UI-03: the constraints of the file before hold for all that there is.
alter table public.company_settings validate constraint company_settings_friend_gain_is_a_text,
  validate constraint company_settings_answer_days_are_some, validate constraint company_settings_picture_url_is_a_line;
alter table public.call_consents validate constraint call_consents_channel_is_known,
  validate constraint call_consents_channel_says_whether_to_call;
