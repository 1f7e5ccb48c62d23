-- DF-10, DF-20: what 0711 and 0714 widened holds for the rows that were there before, read without keeping anybody waiting.
alter table public.call_consents validate constraint call_consents_place_is_known;
alter table public.notices validate constraint notices_are_about_one_thing;
alter table public.notices validate constraint notices_kind_is_known;
