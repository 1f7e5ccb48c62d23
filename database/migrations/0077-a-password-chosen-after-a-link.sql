-- AU-13: a session that a recovery or an invitation opened may choose a password without the current one, for as long as a link
-- is good. Any other one gives the current password.
alter table auth.sessions add column password_free_until timestamptz;
