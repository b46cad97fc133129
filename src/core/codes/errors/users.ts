import type { ErrorTopic } from './explanation.ts';

const TOKENS = 'docs/guides/http-api.md#who-may-ask';
const CRM_USERS = 'docs/guides/hubspot-card.md';
const PASSKEYS = 'docs/guides/users.md#passkeys';
const MAILS = 'docs/guides/users.md#monthly-emails';
const ADDRESS = 'docs/guides/users.md#the-address';

/** Errors about users, access tokens and signing in. */
export const USER_ERRORS: ErrorTopic = {
  document: 'docs/guides/users.md',
  codes: {
    access_token_missing: {
      means:
        'Other computers can reach donor-sync at this address, but there are no users or access tokens yet. The service did not start.',
      next: 'Invite a user with `donor-sync users invite`, or create a token with `donor-sync tokens create`.',
      document: 'docs/guides/users.md#the-first-user',
    },
    account_needed: {
      means:
        'You have no user account yet, so donor-sync cannot send you emails. Nothing was changed.',
      next: 'Create your account, or sign in as a user.',
    },
    address_in_settings: {
      means:
        'The address is set in the settings file (`server.publicUrl`), so you cannot change it in a browser or with a command. Nothing was changed.',
      next: 'Change the address in the settings file, or remove it there and restart the service.',
      document: ADDRESS,
    },
    address_missing: {
      means:
        'The server can be reached only from its own computer, so an invitation link would not work. Nobody was invited.',
      next: 'Open *Users* → *Address*, set the address, and confirm it in a different browser.',
      document: ADDRESS,
    },
    address_strands_owner: {
      means:
        'An owner only has passkeys for a different host name, so they could not sign in at the new address. Nothing was changed.',
      next: 'Let the owner set a password first, with a link from `donor-sync users link USER`.',
      document: ADDRESS,
    },
    first_visit_refused: {
      means:
        'The link for the first visit has already been used, is older than 15 minutes, or is no longer needed. No account was created.',
      next: 'Start `donor-sync serve` again for a new link, or sign in as a user.',
      document: 'docs/guides/users.md#the-first-user',
    },
    last_owner: {
      means:
        'This user is the last owner who can sign in. Without an owner, nobody could manage users. Nothing was changed.',
      next: 'First make another user an owner, and wait until they have joined. If a passkey is lost, first set a password with `donor-sync users link`.',
      document: 'docs/guides/users.md#roles',
    },
    link_file_unwritable: {
      means: 'The file for the link could not be created, so the link was not created either.',
      next: 'For `--out`, choose a new file in a folder that you can write to.',
      document: 'docs/guides/users.md#recovery',
    },
    mail_code_wrong: {
      means:
        'The code from the email does not confirm the address. It has been used, is older than a day, belongs to a different user, or has been replaced by a newer email. Nothing was changed.',
      next: 'To get a new link, turn the email off and on again under *My account*.',
      document: MAILS,
    },
    mail_not_for_role: {
      means: 'Users with this role cannot see the numbers in this email. Nothing was changed.',
      next: 'Ask an owner for a different role, or choose a different email.',
      document: MAILS,
    },
    mail_not_own: {
      means: 'You can turn on monthly emails only for yourself. Nothing was changed.',
      next: 'The user can turn on the email under *My account*. In the terminal, you can only turn it off.',
      document: MAILS,
    },
    mail_server_unset: {
      means:
        'There is no mail server in the settings, so donor-sync cannot send emails. Nothing was changed.',
      next: 'Add `alerts.email` to the settings.',
      document: MAILS,
    },
    mail_unsent: {
      means:
        'The mail server did not accept the email that confirms your address. Your choice is saved, but donor-sync sends nothing until the address is confirmed.',
      next: 'Correct the problem in the message, and then turn on the email again.',
      document: MAILS,
    },
    no_way_to_sign_in: {
      means:
        '`server.signIn.passwords` is false, but neither passkeys nor an identity provider is available, so nobody could sign in. The service did not start.',
      next: 'Set an https address in `server.publicUrl`, add `server.signIn.oidc`, or allow passwords.',
      document: 'docs/guides/users.md#without-passwords',
    },
    owner_exists: {
      means:
        'An owner already has an account, so the link cannot create an account. Nothing was changed.',
      next: 'Sign in, or ask an owner for an invitation.',
      document: 'docs/guides/users.md#the-first-user',
    },
    owner_limited: {
      means: 'Owners always have access to all clients. Nothing was changed.',
      next: 'Choose another role, or leave out the clients.',
      document: 'docs/guides/users.md#roles',
    },
    owners_need_passwords: {
      means:
        '`server.signIn.passwords` is false, and some owners can sign in only with a password. The service did not start.',
      next: 'Let each owner add a passkey or sign in with the identity provider first. `donor-sync users list` shows how owners sign in.',
      document: 'docs/guides/users.md#without-passwords',
    },
    passkey_known: {
      means: 'This passkey is already registered. Nothing was changed.',
      next: 'Use the passkey to sign in, or register another one.',
      document: PASSKEYS,
    },
    passkey_last: {
      means: "This passkey is the user's last way to sign in. It was not removed.",
      next: 'Add another passkey first, or ask an owner for a link to set a password.',
      document: PASSKEYS,
    },
    crm_link_unknown: {
      means: 'The user is not linked to this CRM user. Nothing was changed.',
      next: 'List the links with `donor-sync users crm-users list USER`.',
      document: CRM_USERS,
    },
    passkey_unknown: {
      means: 'The user does not have this passkey. Nothing was changed.',
      next: 'List the passkeys with `donor-sync users passkeys list USER`.',
      document: PASSKEYS,
    },
    passkeys_none: {
      means:
        'Passkeys are only available to signed-in users, at a public address with a host name.',
      next: 'Sign in as a user. Set an https address under *Users* → *Address*, or in `server.publicUrl`.',
      document: PASSKEYS,
    },
    password_none: {
      means: 'You are signed in with an access token, which has no password. Nothing was changed.',
      next: 'Sign in as a user to change a password.',
    },
    password_unchecked: {
      means:
        'The password could not be compared with common passwords, so it was not accepted. Nothing was changed.',
      next: 'Try again in a minute.',
    },
    password_weak: {
      means: 'The new password is too short, too common or easy to guess. Nothing was changed.',
      next: 'Choose a longer password, for example several unrelated words.',
    },
    password_wrong: {
      means: 'The current password is wrong. Nothing was changed.',
      next: 'Type the current password again, or ask an owner for a link to set a new one.',
    },
    person_known: {
      means: 'A user with this email address already exists. No invitation was created.',
      next: 'List the users with `donor-sync users list`.',
    },
    person_needed: {
      means:
        'Only a signed-in user can do this. You cannot do it with an access token. Nothing was changed.',
      next: 'Sign in, or use the terminal.',
      document: 'docs/guides/users.md#roles',
    },
    person_unknown: {
      means: 'There is no user with this ID. Nothing was changed.',
      next: 'List the users with `donor-sync users list`.',
    },
    proof_needed: {
      means:
        'To do this, you must have signed in or confirmed your identity within the last ten minutes. Nothing was changed.',
      next: 'Sign in again, or type your password under *My account*. You can also use the terminal on the machine where donor-sync runs.',
      document: ADDRESS,
    },
    reach_insufficient: {
      means:
        'This affects all clients, but you only have access to some of them. Nothing was changed.',
      next: 'Ask a user who has access to all clients to do this.',
      document: 'docs/guides/users.md#roles',
    },
    rights_changed: {
      means: 'Your access was revoked or changed a moment ago. Nothing was changed.',
      next: 'Sign in again. If this does not help, ask an owner for access.',
    },
    role_insufficient: {
      means: 'Your role does not allow this. Nothing was changed.',
      next: 'Ask a user with the role in the message to do this.',
      document: 'docs/guides/users.md#roles',
    },
    sign_in_busy: {
      means:
        'Too many users are signing in or setting a password at the moment. You are not signed in, and nothing was changed.',
      next: 'Try again in a minute.',
    },
    sign_in_provider_unreachable: {
      means: 'The identity provider is not responding. You are not signed in.',
      next: 'Try again later, or sign in another way.',
      document: 'docs/guides/users.md#sign-in-with-your-identity-provider',
    },
    door_account_other: {
      means:
        "The call did not come from the CRM account of the door token's client. The cause might be a copied sandbox. Nothing was done.",
      next: 'Use the token only in the account that the client is connected to.',
      document: 'docs/guides/salesforce-record.md',
    },
    door_client_other: {
      means: 'The door token and the address belong to different clients. Nothing was done.',
      next: 'Check the address in the CRM. In Salesforce, it is in the named credential.',
      document: 'docs/guides/salesforce-record.md',
    },
    door_limit_reached: {
      means:
        'The door token has reached its limit of marked contacts for today. The contact was not marked, and no credit was spent.',
      next: 'Try again tomorrow (UTC), or create a token with a higher limit (`--per-day`) and revoke this one.',
      document: 'docs/guides/salesforce-record.md',
    },
    door_needs_https: {
      means:
        'The server has no https address, so a CRM cannot call it, and the button that enhances a record would not work. Nothing was written.',
      next: 'Set the address of the server, or leave out `--enhance-now`.',
      document: ADDRESS,
    },
    door_not_connected: {
      means:
        'donor-sync cannot check which account the call came from, because the client has not synced yet. Nothing was done.',
      next: 'Run a first sync with `donor-sync sync`, then try again.',
    },
    door_token_unknown: {
      means: 'The door token is missing or unknown. Nothing was done.',
      next: 'Create one with `donor-sync tokens create-door`, and enter it in the CRM.',
      document: 'docs/guides/salesforce-record.md',
    },
    token_only_for_door: {
      means:
        "The request contains a door token, which is only for the pages of a client's CRM. With a door token, a program can only read the status of individual contacts and request their enhancement. Nothing was done.",
      next: 'Create an access token for the API with `donor-sync tokens create`.',
      document: 'docs/guides/salesforce-record.md',
    },
    token_unknown: {
      means: 'There is no access token with this ID. Nothing was changed.',
      next: 'List the tokens with `donor-sync tokens list`.',
      document: TOKENS,
    },
    too_many_attempts: {
      means: 'There were too many failed attempts. Further attempts are refused for a while.',
      next: 'Wait for the time in the response (`Retry-After`), then try again.',
      document: 'docs/guides/http-api.md#limits',
    },
    unauthenticated: {
      means:
        'The request has no valid access token, and the browser is not signed in. Nothing was done.',
      next: 'Send `Authorization: Bearer TOKEN`; `donor-sync tokens create` creates one. Or sign in.',
      document: TOKENS,
    },
  },
};
