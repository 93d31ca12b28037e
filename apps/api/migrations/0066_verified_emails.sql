-- An e-mail that nobody verified may be anyone's. Which of the stored ones were verified is not known: each is read
-- again at its member's next login, and stored only when the platform says that it is verified.
update members set email = null where email is not null;
