import type { ErrorTopic } from './explanation.ts';

const STOPPED = 'docs/outcomes.md#why-a-run-stopped';
const CREDITS = 'docs/guides/operating.md#credits';
const SERVICE = 'docs/guides/service.md';

/** Errors of the Partner Data Service, and reasons that stop a run or its spending. */
export const CREDIT_ERRORS: ErrorTopic = {
  document: STOPPED,
  codes: {
    already_running: {
      means: 'Another process is working on this client. Nothing was done.',
      next: 'Wait until the other run has finished (`donor-sync status` shows it), then repeat the command.',
      document: 'docs/guides/operating.md#clocks-hosts-and-outages',
    },
    answer_lost: {
      means:
        'The response to a request that costs credits was lost, so donor-sync does not know whether the credits were charged. The request is not sent again automatically.',
      next: 'The next run compares the balance before and after the request. Contacts whose credit might be gone are held: `donor-sync holds` shows them.',
      costs: 'The credits for the lost request might be gone.',
      document: CREDITS,
    },
    budget_reached: {
      means:
        '`budget` in the settings allows no more credits now. The run stopped sending contacts, but still writes the profiles that have been paid for.',
      next: 'No action is needed: a later run continues when the budget allows it. To continue sooner, raise the budget.',
      costs: 'Nothing more.',
    },
    clock_wrong: {
      means:
        "The clock on this machine and the service's clock differ by several minutes. Nothing was spent, because donor-sync could otherwise refresh profiles too early.",
      next: 'Correct the clock, preferably with a time server, then sync again.',
      costs: 'Nothing.',
      document: 'docs/guides/operating.md#clocks-hosts-and-outages',
    },
    contacts_missing: {
      means:
        'Many contacts are missing from the CRM, and there is no sign that they were deleted. They were not removed, and everything else was synced.',
      next: 'Check that the export is complete and that donor-sync can see all contacts. If they are gone, run `donor-sync holds approve --batch`.',
      costs: 'Nothing.',
      document: 'docs/guides/operating.md#many-contacts-are-missing',
    },
    credits_exhausted: {
      means: "The service key's bucket is empty. donor-sync did everything that costs no credits.",
      next: 'Buy credits. `donor-sync credits` shows the balance, and the next run continues.',
      costs: 'Nothing more.',
      document: CREDITS,
    },
    cut_off_too_often: {
      means:
        'The process ended during this run, as it did in the five previous attempts. The run is not started again automatically.',
      next: 'Find out why the process ends (the most common cause is a lack of memory), then start the sync again.',
      costs: 'Nothing is paid for twice.',
    },
    decisions_do_not_end: {
      means:
        'Decisions about erased people kept changing while the contacts were being read. The run stopped.',
      next: "No action is needed: the next run continues. If the error persists, resolve the client's open decisions first.",
    },
    interrupted: {
      means: 'The command was stopped, or the process ended before it was finished.',
      next: 'No action is needed: the next run continues from there. Start one at once with `donor-sync sync ID`.',
      costs: 'Nothing is paid for twice.',
    },
    lease_doubtful: {
      means:
        'The credit was not spent, because the database responded so slowly that another process could have taken over the client.',
      next: 'No action is needed: the next run tries again. If it happens often, check the load on the machine and on the database.',
      costs: 'Nothing.',
    },
    lease_lost: {
      means: 'Another process has taken over the client, so this one stopped.',
      next: 'No action is needed: the other process continues. If it happens again, check whether a second service uses the same database.',
      costs: 'Nothing is paid for twice.',
    },
    marks_unconfirmed: {
      means:
        'A mark excludes more than half of the contacts, and nobody has confirmed this. No contact was sent, but profiles that have been paid for are still written.',
      next: 'Run `donor-sync plan ID`. Correct the field and its values in the settings, or confirm them with `donor-sync sync ID --accept-marks`.',
      costs: 'Nothing.',
      document: 'docs/guides/operating.md#marks-that-exclude-most-contacts',
    },
    journal_unreadable: {
      means:
        'The spending journal exists but cannot be read. donor-sync needs the journal to know what has already been paid for, so it did nothing.',
      next: 'Make the file in the message readable, then repeat the command.',
      costs: 'Nothing.',
      document: 'docs/guides/operating.md#the-spending-journal',
    },
    journal_unwritable: {
      means:
        'The spending journal cannot be written. Without the journal, donor-sync could pay for the same profiles again after a restore, so it spent nothing more. It still delivered paid profiles.',
      next: 'Make the file in the message writable, or set `spendingJournal` to another file, then sync again.',
      costs: 'Nothing.',
      document: 'docs/guides/operating.md#the-spending-journal',
    },
    match_rate_low: {
      means:
        'donor-sync first sent a few contacts, and the service recognised too few of them. donor-sync sent no more contacts.',
      next: 'Check the contacts with `donor-sync plan ID`. Correct the columns, or accept the match rate with `donor-sync sync ID --accept-match-rate`.',
      costs: 'The credits for the first contacts. They are not refunded.',
      document: 'docs/guides/operating.md#the-first-credits',
    },
    partner_bad_request: {
      means:
        'The Partner Data Service refused a request, and repeating it would not help. The request was skipped, and nothing was charged.',
      next: 'Run `donor-sync doctor`. If the error persists, report it to the service operator.',
      costs: 'Nothing.',
    },
    partner_base_url_invalid: {
      means: '`partner.baseUrl` is not a plain http or https address. No request was sent.',
      next: 'Enter the address that the service operator gave you, without a user name or parameters.',
      document: 'docs/guides/settings.md',
    },
    partner_bulk_add_unfinished: {
      means:
        'The service did not finish adding members to a network in time. It might still finish.',
      next: 'No action is needed: a later run checks the same job again.',
      costs: 'Nothing more. donor-sync does not pay for the members twice.',
      document: 'docs/guides/networks.md',
    },
    partner_endpoint_missing: {
      means:
        'The Partner Data Service lacks an endpoint that donor-sync needs. Nothing was charged.',
      next: 'Check `partner.baseUrl`, and ask the service operator which version the service runs.',
      costs: 'Nothing.',
      document: 'docs/guides/settings.md',
    },
    partner_key_expired: {
      means: 'The service key has expired. Nothing was charged.',
      next: 'Ask the service operator for a new key, set it as `partner.apiKey`, and restart donor-sync.',
      costs: 'Nothing.',
    },
    partner_key_malformed: {
      means:
        '`partner.apiKey` is empty or contains characters that a service key cannot contain. No request was sent.',
      next: 'Copy the key again.',
      document: 'docs/guides/settings.md',
    },
    partner_key_rejected: {
      means: 'The Partner Data Service does not recognise the service key. Nothing was charged.',
      next: 'Check `partner.apiKey`, or ask the service operator for a new key. Then restart donor-sync.',
      costs: 'Nothing.',
    },
    partner_not_found: {
      means:
        'The service does not have the requested record, perhaps because the record is too old. The record was skipped, and nothing was charged.',
      next: 'No action is needed: the next run decides whether to send the contact again.',
      costs: 'Nothing.',
    },
    partner_redirected: {
      means:
        'The Partner Data Service redirects to another address. donor-sync does not follow redirects, so nothing was sent there.',
      next: 'Set `partner.baseUrl` to the final address.',
      costs: 'Nothing.',
      document: 'docs/guides/settings.md',
    },
    partner_reply_unreadable: {
      means: "The service's response cannot be read. Nothing was charged.",
      next: 'Try again later. If the error persists, check `partner.baseUrl` and any proxy, and ask the service operator.',
      costs: 'Nothing.',
    },
    partner_server_error: {
      means: 'A request to the Partner Data Service failed twice. Nothing was charged.',
      next: 'Try again later; a run continues automatically.',
      costs: 'Nothing.',
    },
    partner_throttled: {
      means: 'The service keeps refusing requests because there are too many. Nothing was charged.',
      next: 'Try again later. Check whether something else uses the same service key.',
      costs: 'Nothing.',
    },
    partner_unavailable: {
      means: 'The Partner Data Service cannot be reached. Nothing was charged.',
      next: 'No action is needed: a later run tries again. If the problem persists, check the network and `partner.baseUrl` with `donor-sync doctor`.',
      costs: 'Nothing.',
    },
    partner_validation: {
      means:
        'The service rejected a request as invalid and did not process it. Nothing was charged.',
      next: 'Correct the details in the message, and send the request again.',
      costs: 'Nothing.',
    },
    questions_cost_credits: {
      means:
        'The remaining queries cost credits, and you have not agreed to that. They were not sent.',
      next: 'Repeat the command with `--spend` if the price in the message is right.',
      costs: 'Nothing until you agree.',
      document: 'docs/guides/networks.md#changes-by-hand',
    },
    restore_unconfirmed: {
      means:
        'The database was restored from a backup, or the client was erased, and no user has allowed any spending since then. Nothing was spent.',
      next: 'Check the plan with `donor-sync plan ID`. If you agree, run `donor-sync restore --agree ID`.',
      costs: 'Nothing.',
      document: 'docs/guides/operating.md#what-is-stored-and-backups',
    },
    run_missing: {
      means: 'This filter needs the ID of a run, but the command does not contain one.',
      next: 'Add the ID of the run. `donor-sync runs` lists the runs with their IDs.',
    },
    run_over: {
      means:
        'The run has already finished, or the client has no run that is in progress or queued. Nothing was changed.',
      next: 'No action is needed: `donor-sync status` shows the runs that are in progress.',
    },
    run_queued: {
      means: 'The run is queued and has not done anything yet. Nothing was changed.',
      next: 'Wait until the run has started. `donor-sync status` shows the runs that are in progress.',
    },
    run_unknown: {
      means: 'There is no run with this ID, or you do not have access to its client.',
      next: '`donor-sync runs` lists the runs with their IDs.',
    },
    stopped_by_person: {
      means: 'A user stopped the run. No data is lost, and nothing is paid for twice.',
      next: 'No action is needed: the next run continues from there, and schedules continue unless they are paused.',
      costs: 'Nothing is paid for twice.',
    },
    submission_invalid: {
      means:
        'The service refused a whole submission without naming a contact. The run stopped, and nothing was charged.',
      next: 'Report it to the service operator with the ID of the run.',
      costs: 'Nothing.',
    },
    database_unusable: {
      means:
        'The database of your own Partner Data Service is in use or was created by a newer version. Nothing was changed.',
      next: 'Stop the other process, or install the newer version.',
      document: 'docs/guides/service.md#running-it',
    },
    import_refused: {
      means:
        'Your own Partner Data Service refused the file because it contains errors. Nobody was imported.',
      next: 'Correct the rows that the message names, and import the file again.',
      document: 'docs/guides/service.md#importing-people',
    },
    service_refused: {
      means: 'Your own Partner Data Service refused the command. Nothing was changed.',
      next: 'Read the reason in the message and correct the command.',
      document: SERVICE,
    },
  },
};
