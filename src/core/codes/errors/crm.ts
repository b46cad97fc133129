import type { ErrorTopic } from './explanation.ts';

const CONNECTING = 'docs/guides/connecting.md#troubleshooting';
const BLOOMERANG = 'docs/guides/getting-started-bloomerang.md';
const SALESFORCE = 'docs/guides/sign-in-salesforce.md';
const SETTINGS = 'docs/guides/settings.md';
const MARKS = 'docs/guides/operating.md#marks-that-exclude-most-contacts';
const ACCOUNT_CHANGED = 'docs/guides/connecting.md#connecting-again';

/** A CRM, and the connection to it. */
export const CRM_ERRORS: ErrorTopic = {
  document: 'docs/troubleshooting.md',
  codes: {
    field_not_mapped: {
      means:
        'The field map does not contain this field, or does not map a profile value to it. Nothing was changed.',
      next: 'Use one of the fields that the message names, or add a line to the field map.',
    },
    consent_denied: {
      means:
        'The CRM did not grant donor-sync access, or someone denied the access there. Nothing was saved.',
      next: 'Sign in to the CRM as a user who is allowed to grant access, and run `donor-sync connect ID` again.',
      document: CONNECTING,
    },
    consent_not_finished: {
      means: "Nobody returned from the CRM's sign-in page in time. Nothing was connected.",
      next: 'Run `donor-sync connect ID` again and finish the sign-in within ten minutes.',
      document: CONNECTING,
    },
    consent_not_under_way: {
      means:
        'The return address was already used, has expired, or was never issued. Nothing was connected.',
      next: 'Start again with `donor-sync connect ID`.',
      document: CONNECTING,
    },
    consent_not_wanted: {
      means:
        'The settings contain everything that a sign-in to this CRM needs, so there is nothing to connect.',
      next: 'Run `donor-sync doctor ID` to check the sign-in. To connect through the sign-in page, set `crm.auth.type` to `oauth`.',
      document: 'docs/guides/connecting.md#2-the-settings',
    },
    contact_id_malformed: {
      means: "This text cannot be a contact's ID in this CRM. Nothing was done.",
      next: "Copy the ID from the address of the contact's page in the CRM.",
    },
    contact_kept_back: {
      means:
        "The contact's connections are not shown, and it cannot be put on a list, for the reason in the message. For example, the contact opted out, objects, is deceased or is waiting for a decision. Nothing was requested from the service.",
      next: 'Nothing. If the reason is wrong, correct the mark in the CRM, or decide with `donor-sync holds`.',
      costs: 'Nothing.',
      document: 'docs/guides/warm-paths.md',
    },
    contact_not_enhanced: {
      means: 'The contact has not been enhanced yet, so its connections are not known.',
      next: 'Enhance it with `donor-sync sync ID --contact CRM_ID`, which costs a credit.',
      document: 'docs/guides/warm-paths.md',
    },
    contact_unknown: {
      means: 'There is no contact with this ID in the CRM or in the database. Nothing was done.',
      next: "Copy the ID from the address of the contact's page in the CRM.",
    },
    crm_account_changed: {
      means:
        'The credentials lead to another CRM account than before, whose IDs belong to other people. Nothing was read, written or spent.',
      next: 'Restore the credentials of the first account, or create a new client for the new account.',
      costs: 'Nothing.',
      document: ACCOUNT_CHANGED,
    },
    crm_address_refused: {
      means:
        'Salesforce returned an address outside this org for the next request. The request was not sent, so the other address did not receive the token.',
      next: 'Check whether a proxy between donor-sync and Salesforce changes the responses.',
      document: SALESFORCE,
    },
    crm_description_unreadable: {
      means: "Salesforce's description of an object cannot be read. Nothing was written.",
      next: 'Check `crm.url` and `crm.apiVersion` in the settings.',
      document: SALESFORCE,
    },
    crm_field_missing: {
      means:
        'The CRM does not have a field that the settings name, or hides it from donor-sync. Nothing was read or written.',
      next: "Correct the internal name in the settings, or allow donor-sync's user or token to read the field.",
      document: SETTINGS,
    },
    crm_field_unsuitable: {
      means:
        'A mark uses a choice field without a clear yes, so donor-sync cannot tell which contacts are marked. No contact was sent.',
      next: 'In the settings, list the values that mark a contact and the values that do not, or name a checkbox or a date.',
      document: MARKS,
    },
    crm_filter_invalid: {
      means: 'The CRM does not accept `contacts.filter`. No contact was read.',
      next: 'Correct the filter in the settings: it uses the internal names of the CRM.',
      document: SETTINGS,
    },
    crm_groups_hidden: {
      means:
        'Bloomerang shows no groups in this database. No network was changed, and nothing was spent on one.',
      next: 'Ask Bloomerang whether your plan includes groups in the API, or remove the networks from the settings.',
      document: BLOOMERANG,
    },
    crm_group_too_large: {
      means:
        'The report has more rows than Salesforce returns to programs. Its network was not changed.',
      next: "Narrow the report's filters, or use a campaign or a condition instead.",
      document: 'docs/guides/networks.md',
    },
    crm_group_unknown: {
      means: 'The CRM does not have the group that the settings name. Its network was not changed.',
      next: 'Correct the group under `networks` in the settings. `donor-sync doctor` checks it.',
      document: 'docs/guides/networks.md',
    },
    crm_group_unreadable: {
      means:
        'The report does not show which contacts its rows belong to. Its network was not changed.',
      next: 'Add the Contact ID column to the report exactly once.',
      document: 'docs/guides/networks.md',
    },
    crm_instance_changed: {
      means:
        'Salesforce reports a different address for the org than at the first connection. Nothing was sent to the new address.',
      next: 'If the org was renamed or moved, set `crm.url` to the new address. Otherwise, find out whose account the credentials belong to.',
      document: SALESFORCE,
    },
    crm_instance_refused: {
      means:
        'Salesforce reports an address for the org that is neither `crm.url` nor an https address of Salesforce. Nothing was sent there.',
      next: 'If the org is at that address, add the host to `crm.instanceHosts`. Otherwise, find out which server responds at `crm.url`.',
      document: SALESFORCE,
    },
    crm_limit_reached: {
      means:
        "The CRM's request limit is used up, or the remaining requests are reserved for your other tools. The run stopped.",
      next: 'Nothing: the limit resets automatically, and the next run continues from there.',
      document: 'docs/outcomes.md#why-a-run-stopped',
    },
    crm_list_endless: {
      means:
        'HubSpot never finished returning a list, so the list was not used. Its network was not changed.',
      next: 'Run the sync again. If the error persists, report it.',
    },
    crm_list_in_progress: {
      means:
        'HubSpot is still choosing the members of a list, or shows far fewer than it counts. Its network was not changed.',
      next: 'Nothing: the next sync reads the list again. If the error remains for a day, open the list in HubSpot.',
      document: 'docs/guides/networks.md',
    },
    crm_private_key_unreadable: {
      means:
        '`crm.auth.privateKey` is not a private RSA key of at least 2,048 bits in PEM form without a passphrase. No request was sent.',
      next: 'Put the correct key in the settings.',
      document: SALESFORCE,
    },
    crm_query_endless: {
      means: 'A Salesforce query never finished, so its results were not used.',
      next: 'Run the sync again. If the error persists, report it.',
    },
    crm_reading_endless: {
      means:
        'Reading the contacts never finished, for example because contacts change faster than they can be read.',
      next: 'Run the sync again at a quieter time. If the error persists, report it.',
    },
    crm_redirected: {
      means:
        'The CRM redirects to another address. donor-sync does not follow redirects, so nothing was sent there.',
      next: 'If the address in the message belongs to the CRM, set `crm.url` to it.',
      document: SETTINGS,
    },
    crm_reply_too_large: {
      means: "The CRM's response was too large and was not read completely.",
      next: 'Check whether a proxy between donor-sync and the CRM changes the responses. The next run tries again.',
    },
    crm_request_refused: {
      means: 'The CRM refused a request for a permanent reason. The run stopped.',
      next: "Read the CRM's reason in the message, correct the settings or the permissions, and run `donor-sync doctor ID`.",
    },
    crm_scope_missing: {
      means: 'The app or the token lacks a permission that donor-sync needs in the CRM.',
      next: 'Add the scope that the message names to the app, then run `donor-sync connect ID` again.',
      document: CONNECTING,
    },
    crm_search_endless: {
      means: 'A HubSpot search never finished, so its results were not used.',
      next: 'Run the sync again. If the error persists, report it.',
    },
    crm_trial_kept: {
      means:
        'Salesforce kept an update that donor-sync only wanted to try. For the rest of this run, no more updates are tried in this way.',
      next: 'Nothing. `donor-sync runs RUN` shows the values that were written.',
    },
    crm_unauthorized: {
      means:
        'The CRM does not accept the credentials of donor-sync. The run stopped, and no contact is paid for again.',
      next: 'Connect the account again with `donor-sync connect ID`, or renew the credentials in the settings. `donor-sync doctor ID` checks them.',
      costs: 'Nothing.',
      document: ACCOUNT_CHANGED,
    },
    crm_unavailable: {
      means:
        'The CRM did not respond, or had a temporary failure. The run stopped after several attempts.',
      next: 'Nothing: the next run continues from there. If the problem persists, run `donor-sync doctor ID`.',
      document: 'docs/outcomes.md#why-a-run-stopped',
    },
    crm_version_unknown: {
      means: 'Salesforce no longer has this version of its API, or never had it. Nothing was read.',
      next: 'Set `crm.apiVersion` to the version in the message.',
      document: 'docs/guides/settings.md#crm-of-salesforce',
    },
    crm_write_check_failed: {
      means:
        'Bloomerang changed other parts of a constituent when donor-sync wrote custom values into it. donor-sync restored these parts, or lists them, and writes nothing else.',
      next: 'Look at the constituent, ask Bloomerang how programs change custom values alone, and raise `crm.writeCheck` in the settings to start the check again.',
      document: BLOOMERANG,
    },
    fields_not_custom: {
      means:
        'The field map does not name a Salesforce custom field, so there is nothing to deploy. No file was written.',
      next: 'Map the values to fields whose names end in `__c`.',
      document: 'docs/guides/getting-started-salesforce.md#3-check-and-create-the-fields',
    },
    fields_unusable: {
      means: 'None of the mapped fields can be written. No credit is spent.',
      next: 'Create the fields or grant access to them: `donor-sync fields check ID` names each one.',
      costs: 'Nothing.',
      document: 'docs/guides/settings.md#fields',
    },
    fields_without_source: {
      means:
        'The fields of this kind of CRM cannot be written as source files. No file was written.',
      next: 'Run `donor-sync fields create ID`.',
      document: 'docs/guides/settings.md#fields',
    },
    listen_failed: {
      means: 'donor-sync cannot receive requests at this address and port. Nothing was started.',
      next: 'Choose another port with `--port` or `server.port`, or an address that belongs to this machine.',
    },
    not_connected: {
      means:
        'The CRM account is not connected, or connecting it failed. Nothing was read or written.',
      next: 'Run `donor-sync connect ID`.',
      document: CONNECTING,
    },
    opt_out_values_missing: {
      means:
        'The opt-out field is a choice field, and the settings do not list the values that opt out. No contact was sent.',
      next: 'Copy the line from the message into `contacts`, and keep only the values that opt out.',
      document: MARKS,
    },
    opt_out_values_unknown: {
      means:
        'The settings list a value of a mark that its field does not have, or list values without naming the field. No contact was sent.',
      next: "Correct the values or the field in the settings; the message names the field's values.",
      document: MARKS,
    },
    record_read_long_ago: {
      means:
        'The CRM took minutes to refuse a value, and the record could have changed in that time. The contact was not written.',
      next: 'Nothing: the next run reads the contact again and writes it.',
      costs: 'Nothing more.',
    },
    redirect_refused: {
      means:
        'HubSpot sends users back only to https addresses or localhost. Nothing was connected.',
      next: 'Set `server.publicUrl` to the https address of the service, or run `donor-sync connect ID --port N` on the machine of your browser.',
      document: CONNECTING,
    },
    service_unreachable: {
      means:
        'The CRM would send you back to `server.publicUrl`, but no donor-sync with this database responds there. Nothing was connected.',
      next: 'Start `donor-sync serve` first, or run `donor-sync connect ID --port N`.',
      document: CONNECTING,
    },
    store_does_not_know_crm: {
      means:
        'The CRM contains donor IDs that this database does not know: another database paid for these contacts. Nothing was spent.',
      next: 'Name the correct database in the settings, or restore its backup. If it is lost, run `donor-sync sync ID --adopt`.',
      costs: 'Nothing.',
      document: 'docs/guides/operating.md#another-database',
    },
    typed_values_overwritten: {
      means:
        'Users typed values while donor-sync was writing them. Each value was either restored or logged as lost.',
      next: '`donor-sync runs RUN` names the contacts with the reason `typed_value_restored` or `typed_value_lost`.',
      document: 'docs/outcomes.md#written',
    },
  },
};
