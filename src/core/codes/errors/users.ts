import type { ErrorTopic } from './explanation.ts';

const TOKENS = 'docs/guides/http-api.md#who-may-ask';
const CRM_USERS = 'docs/guides/hubspot-card.md';
const PASSKEYS = 'docs/guides/users.md#passkeys';
const MAILS = 'docs/guides/users.md#monthly-mails';
const ADDRESS = 'docs/guides/users.md#the-address';

/** Users, access tokens and signing in. */
export const USER_ERRORS: ErrorTopic = {
  document: 'docs/guides/users.md',
  codes: {
    access_token_missing: {
      means:
        'Others could reach the service at this address, but there are no users or access tokens yet. The service did not start.',
      next: 'Invite a user with `donor-sync users invite`, or create a token with `donor-sync tokens create`.',
      document: 'docs/guides/users.md#the-first-user',
    },
    account_needed: {
      means:
        'The caller has no user account, for example on the first visit, so no mail can be sent to it. Nothing was changed.',
      next: 'Create your account, or sign in as a user.',
    },
    address_in_settings: {
      means:
        'The settings file names the address of the server (`server.publicUrl`), so it cannot be set on the pages or with a command. Nothing was changed.',
      next: 'Change the address in the settings file, or remove it there and restart the service.',
      document: ADDRESS,
    },
    address_missing: {
      means:
        'The server can be reached only from its own computer, so an invitation link would not work. Nobody was invited.',
      next: 'Set the address under *Users*, *Address*, and confirm it in another browser.',
      document: ADDRESS,
    },
    address_strands_owner: {
      means:
        'An owner has only passkeys for another host name, and could not sign in at the new address. Nothing was changed.',
      next: 'Let the owner set a password first, with a link from `donor-sync users link USER`.',
      document: ADDRESS,
    },
    first_visit_refused: {
      means:
        'The link for the first visit was used, is older than 15 minutes, or is no longer needed. No account was created.',
      next: 'Start `donor-sync serve` again for a new link, or sign in as a user.',
      document: 'docs/guides/users.md#the-first-user',
    },
    last_owner: {
      means:
        'This user is the last owner who can sign in, and without an owner nobody could manage users. Nothing was changed.',
      next: 'Make another user an owner first, and wait until they have joined. For a lost passkey, set a password first with `donor-sync users link`.',
      document: 'docs/guides/users.md#roles',
    },
    link_file_unwritable: {
      means: 'The file for the link could not be created, so the link was not created either.',
      next: 'With `--out`, name a file that does not exist yet, in a folder that you can write to.',
      document: 'docs/guides/users.md#recovery',
    },
    mail_code_wrong: {
      means:
        'The code from the mail does not confirm the address: it was used, is older than a day, belongs to another user, or a newer mail replaced it. Nothing was changed.',
      next: 'Turn the mail on again under *My account* to get a new link.',
      document: MAILS,
    },
    mail_not_for_role: {
      means: "The user's role does not show the numbers in this mail. Nothing was changed.",
      next: 'Ask an owner for another role, or choose another mail.',
      document: MAILS,
    },
    mail_not_own: {
      means: 'Only a user can turn on their own monthly mails. Nothing was changed.',
      next: 'Let the user turn it on under *My account*. The terminal can turn it off.',
      document: MAILS,
    },
    mail_server_unset: {
      means: 'The settings name no mail server, so no mail can be sent. Nothing was changed.',
      next: 'Add `alerts.email` to the settings.',
      document: MAILS,
    },
    mail_unsent: {
      means:
        'The mail server did not accept the mail that confirms an address. The choice of mails is stored, and nothing is sent before the address is confirmed.',
      next: 'Correct what the message names, then turn the mail on again.',
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
        'An owner already has an account, so the link does not create another. Nothing was changed.',
      next: 'Sign in, or ask an owner for an invitation.',
      document: 'docs/guides/users.md#the-first-user',
    },
    owner_limited: {
      means:
        'An owner has access to all clients, so the role cannot be limited to some. Nothing was changed.',
      next: 'Choose another role, or do not name any clients.',
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
      means: 'The user does not have this link to a user of a CRM. Nothing was changed.',
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
        'Passkeys are not available here: they need a signed-in user and a public address with a host name.',
      next: 'Sign in as a user, and set an https address under *Users*, *Address*, or in `server.publicUrl`.',
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
        'Only a signed-in user can do this; an access token cannot, whatever its role. Nothing was changed.',
      next: 'Sign in to the pages, or use the terminal.',
      document: 'docs/guides/users.md#roles',
    },
    person_unknown: {
      means: 'There is no user with this ID. Nothing was changed.',
      next: 'List the users with `donor-sync users list`.',
    },
    proof_needed: {
      means:
        'This needs a user who has signed in, or proved their identity, within the last ten minutes. Nothing was changed.',
      next: 'Sign in again, or type your password under *My account*. On the machine of the service, use the terminal.',
      document: ADDRESS,
    },
    reach_insufficient: {
      means:
        'This affects all clients, and you have access to only some of them. Nothing was changed.',
      next: 'Ask a user who has access to all clients.',
      document: 'docs/guides/users.md#roles',
    },
    rights_changed: {
      means: 'Your access was revoked or changed a moment ago. Nothing was changed.',
      next: 'Sign in again, or ask an owner.',
    },
    role_insufficient: {
      means: 'Your role does not allow this. Nothing was changed.',
      next: 'Ask a user with the role that the message names.',
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
        'A CRM account called with the door token of a client that is connected to another account, for example a sandbox with a copied token. Nothing was done.',
      next: 'Use the token only in the account that the client is connected to.',
      document: 'docs/guides/salesforce-record.md',
    },
    door_client_other: {
      means: 'The door token is for another client than the address names. Nothing was done.',
      next: 'Check the address in the CRM, for example in the named credential of Salesforce.',
      document: 'docs/guides/salesforce-record.md',
    },
    door_limit_reached: {
      means:
        'The door token has marked as many contacts today as it may. The contact was not marked, and no credit was spent.',
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
        'The client has not synced with its CRM yet, so the account that calls cannot be checked. Nothing was done.',
      next: 'Run a first sync with `donor-sync sync`, then try again.',
    },
    door_token_unknown: {
      means: 'The door token is missing or unknown. Nothing was done.',
      next: 'Create one with `donor-sync tokens create-door`, and enter it in the CRM.',
      document: 'docs/guides/salesforce-record.md',
    },
    token_only_for_door: {
      means:
        "The request has a door token, which a client's CRM uses for its own pages. It reads the status of single contacts and marks them as wanted. Nothing was done.",
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
