import type { ErrorTopic } from './explanation.ts';

const HOLDS = 'docs/guides/operating.md#holds';
const FORGET = 'docs/guides/operating.md#forget';
const TWO_PEOPLE = 'docs/guides/users.md#two-people';

/** Errors about decisions, second users, undo and erasing. */
export const DECISION_ERRORS: ErrorTopic = {
  document: HOLDS,
  codes: {
    answer_unknown: {
      means:
        'You cannot withdraw an answer with this ID. It has already taken effect or been withdrawn, or it never existed. Nothing was changed.',
      next: '`donor-sync holds answers` lists the answers that can be withdrawn.',
    },
    approval_account_too_new: {
      means:
        'You cannot confirm this request, because your account, link, password or passkey is newer than the request. Nothing was changed.',
      next: 'Ask a user whose account existed before the request and has not changed since.',
      document: TWO_PEOPLE,
    },
    approval_changed: {
      means: 'What the request would do has changed since it was made. Nothing was changed.',
      next: 'Refuse it, review the change, and make a new request.',
      document: TWO_PEOPLE,
    },
    approval_gone: {
      means:
        'Someone else has confirmed or refused the request, or it has expired. Nothing was changed.',
      next: '`donor-sync approvals` lists the requests that are still open.',
      document: TWO_PEOPLE,
    },
    operation_unknown: {
      means:
        'The request was made with another version of donor-sync, and this version cannot carry it out. Nothing was changed.',
      next: 'Refuse the request with `donor-sync approvals refuse ID`, and submit it again.',
      document: TWO_PEOPLE,
    },
    approval_needs_account: {
      means:
        'The action needs a second user, but donor-sync does not know who you are. Nothing was changed.',
      next: 'Sign in, or use an access token.',
      document: TWO_PEOPLE,
    },
    approval_same_person: {
      means: 'You made this request, so another user must confirm it. Nothing was changed.',
      next: 'Ask another user to run `donor-sync approvals` or to open the page.',
      document: TWO_PEOPLE,
    },
    approval_unknown: {
      means: 'There is no open request with this ID, or you do not have access to it.',
      next: '`donor-sync approvals` lists the open requests.',
      document: TWO_PEOPLE,
    },
    second_user_missing: {
      means:
        'The settings require a second user, but there is no other user who could confirm the request. Nothing was changed.',
      next: 'Invite a user with the role and access in the message, or turn the setting off.',
      document: TWO_PEOPLE,
    },
    batch_decided: {
      means: 'All contacts in the batch have already been decided. Nothing was changed.',
      next: 'No action is needed: `donor-sync holds` lists the open decisions.',
    },
    batch_unknown: {
      means: 'There is no open batch with this ID. Nothing was changed.',
      next: '`donor-sync holds` lists the open batches.',
    },
    block_unknown: {
      means: 'This contact is not blocked, so there is nothing to release.',
      next: 'Check the IDs of the contact and the client.',
      document: FORGET,
    },
    erasure_cut_off: {
      means: 'The erasure did not finish. The contact is blocked, so no sync uses it.',
      next: 'Correct the problem in the message, then repeat the command to continue.',
      document: FORGET,
    },
    erasure_log_unusable: {
      means:
        'The erasure log cannot be read or written. Nothing was erased, because restoring a backup could bring the data back.',
      next: 'Make the file readable and writable for this user.',
      document: FORGET,
    },
    erasure_request_withdrawn: {
      means: 'The CRM has withdrawn its request to erase the contact. Nothing was erased.',
      next: 'Nothing. To erase the contact anyway, run `donor-sync forget` for it.',
      document: 'docs/guides/operating.md#erasure-requests-from-the-crm',
    },
    erasure_unconfirmed: {
      means:
        'donor-sync could not check with the CRM whether its request to erase the contact is still valid. Nothing was erased.',
      next: 'Try again once the CRM responds. `donor-sync doctor ID` checks it.',
      document: 'docs/guides/operating.md#erasure-requests-from-the-crm',
    },
    erasures_unknown: {
      means:
        'The database was restored from a backup, so any erasures after the backup are unknown. Nothing was undone, because the undo could restore values of erased people.',
      next: 'Check which contacts were erased after the backup, then agree with `donor-sync restore --agree ID`.',
      document: 'docs/guides/operating.md#what-is-stored-and-backups',
    },
    hold_decided: {
      means: 'Someone has already answered this decision. Nothing was changed.',
      next: 'No action is needed: `donor-sync holds` lists the open decisions.',
    },
    hold_is_batch: {
      means:
        'The ID belongs to a batch of contacts, not to a single decision. Nothing was changed.',
      next: 'Decide all of them with `--batch`, as the message shows.',
    },
    hold_not_at_door: {
      means:
        'The decision erases data or affects many contacts, so it cannot be made from the CRM. Nothing was changed.',
      next: 'Sign in to donor-sync, open the Decisions page, and decide there.',
    },
    hold_not_decidable: {
      means: 'This decision does not accept this answer. Nothing was changed.',
      next: 'Use one of the answers in the message.',
    },
    hold_unknown: {
      means: 'There is no open decision with this ID, or you do not have access to its client.',
      next: '`donor-sync holds` lists the open decisions.',
    },
    hold_without_profile: {
      means: 'The response was lost, so there is no profile to approve. Nothing was changed.',
      next: 'Answer with `donor-sync holds resubmit`, which costs a credit, or with `reject`.',
    },
    reason_unknown: {
      means: 'There is no decision with this reason. Nothing was changed.',
      next: 'Use one of the reasons in the message. `donor-sync holds --json` shows the `kind` of each decision.',
    },
    networks_missing: {
      means: "The client's networks have no members yet, so there are no connections to show.",
      next: 'Add CRM groups under `networks` in the settings, then run `donor-sync sync ID`.',
      document: 'docs/guides/networks.md',
    },
    privacy_hold: {
      means:
        'The contact cannot be erased while it has a privacy hold in the CRM (HasPrivacyHold). Nothing was erased.',
      next: 'End the hold in the CRM. The next sync asks again.',
      document: 'docs/guides/operating.md#erasure-requests-from-the-crm',
    },
    requests_open: {
      means:
        'donor-sync is still waiting for a response from the service, or does not yet know what a request has cost. Nothing was erased.',
      next: 'Run `donor-sync sync ID` once (with `budget: { perRun: 0 }`, it only settles open requests), then repeat the command.',
      document: 'docs/guides/operating.md#a-nonprofit-that-leaves',
    },
  },
};
