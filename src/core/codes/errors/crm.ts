import type { ErrorTopic } from './explanation.ts';

const CONNECTING = 'docs/guides/connecting.md#troubleshooting';
const SALESFORCE = 'docs/guides/sign-in-salesforce.md';
const SETTINGS = 'docs/guides/settings.md';
const MARKS = 'docs/guides/operating.md#marks-that-exclude-most-contacts';
const ACCOUNT_CHANGED = 'docs/guides/connecting.md#connecting-again';

/** Errors of a CRM and of the connection to it. */
export const CRM_ERRORS: ErrorTopic = {
  document: 'docs/troubleshooting.md',
  codes: {
    field_not_mapped: {
      means:
        'The field map does not contain this field, or does not map a profile value to it. Nothing was changed.',
      next: 'Use one of the fields in the message, or add a line to the field map.',
    },
    consent_denied: {
      means:
        'The CRM did not grant access to donor-sync, or someone denied it there. Nothing was saved.',
      next: 'Sign in to the CRM as a user who can grant access, and run `donor-sync connect ID` again.',
      document: CONNECTING,
    },
    consent_not_finished: {
      means: "Nobody finished the sign-in on the CRM's page in time. Nothing was connected.",
      next: 'Run `donor-sync connect ID` again and finish the sign-in within ten minutes.',
      document: CONNECTING,
    },
    consent_not_under_way: {
      means:
        'The return address has already been used, has expired, or is not valid. Nothing was connected.',
      next: 'Start again with `donor-sync connect ID`.',
      document: CONNECTING,
    },
    consent_not_wanted: {
      means:
        'The settings already contain everything needed to sign in to this CRM, so there is nothing to connect.',
      next: 'Run `donor-sync doctor ID` to check the sign-in. To connect through the sign-in page, set `crm.auth.type` to `oauth`.',
      document: 'docs/guides/connecting.md#2-the-settings',
    },
    contact_id_malformed: {
      means: "This text cannot be a contact's ID in this CRM. Nothing was done.",
      next: 'Open the contact in the CRM, and copy the ID from the address.',
    },
    contact_kept_back: {
      means:
        "donor-sync does not show the contact's connections, and you cannot put the contact on a list. The message contains the reason. For example, the contact has opted out, objects, has died or is waiting for a decision. Nothing was requested from the service.",
      next: 'Nothing. If the reason is wrong, correct the mark in the CRM, or decide with `donor-sync holds`.',
      costs: 'Nothing.',
      document: 'docs/guides/warm-paths.md',
    },
    contact_not_enhanced: {
      means: 'The contact has not been enhanced yet, so its connections are unknown.',
      next: 'Enhance it with `donor-sync sync ID --contact CRM_ID`, which costs a credit.',
      document: 'docs/guides/warm-paths.md',
    },
    contact_unknown: {
      means: 'There is no contact with this ID in the CRM or in the database. Nothing was done.',
      next: 'Open the contact in the CRM, and copy the ID from the address.',
    },
    crm_account_changed: {
      means:
        'These credentials are for a different CRM account than before. In that account, the IDs belong to different people. Nothing was read, written or spent.',
      next: 'Restore the credentials of the first account, or create a new client for the new account.',
      costs: 'Nothing.',
      document: ACCOUNT_CHANGED,
    },
    crm_address_refused: {
      means:
        'For the next request, Salesforce returned an address outside this org. The request was not sent, so the token did not leave the org.',
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
        'A mark uses a choice field in which no choice clearly means yes, so donor-sync cannot tell which contacts are marked. No contact was sent.',
      next: 'In the settings, list the values that mark a contact and the values that do not. You can also use a checkbox or a date field instead.',
      document: MARKS,
    },
    crm_filter_invalid: {
      means: 'The CRM does not accept `contacts.filter`. No contact was read.',
      next: 'Correct the filter in the settings: it uses the internal names of the CRM.',
      document: SETTINGS,
    },
    crm_groups_hidden: {
      means:
        'The CRM does not show any groups to programs. No network was changed, and nothing was spent.',
      next: 'Ask the provider of the CRM whether your plan includes groups in the API, or remove the networks from the settings.',
      document: 'docs/guides/networks.md#when-something-looks-wrong',
    },
    crm_group_too_large: {
      means: "The report has more rows than Salesforce's API returns. Its network was not changed.",
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
        'The report does not show which contact each row belongs to. Its network was not changed.',
      next: 'Add the Contact ID column to the report exactly once.',
      document: 'docs/guides/networks.md',
    },
    crm_instance_changed: {
      means:
        'Salesforce reports a different address for the org than when it was first connected. Nothing was sent to the new address.',
      next: 'If the org was renamed or moved, set `crm.url` to the new address. Otherwise, find out whose account the credentials belong to.',
      document: SALESFORCE,
    },
    crm_instance_refused: {
      means:
        'Salesforce reports an address for the org that differs from `crm.url`. The address does not belong to Salesforce, or it does not use https. Nothing was sent there.',
      next: 'If the org is at that address, add the host to `crm.instanceHosts`. Otherwise, find out which server responds at `crm.url`.',
      document: SALESFORCE,
    },
    crm_limit_reached: {
      means:
        "The CRM's request limit is used up, or the remaining requests are reserved for your other tools. The run stopped.",
      next: 'No action is needed: the limit resets automatically, and the next run continues from there.',
      document: 'docs/outcomes.md#why-a-run-stopped',
    },
    crm_list_endless: {
      means:
        'HubSpot never finished returning a list, so the list was ignored. Its network was not changed.',
      next: 'Run the sync again. If the error persists, report it.',
    },
    crm_list_in_progress: {
      means:
        'HubSpot is still processing a list, or it returns far fewer members than it reports. The network was not changed.',
      next: 'No action is needed: the next sync reads the list again. If the error remains for a day, open the list in HubSpot.',
      document: 'docs/guides/networks.md',
    },
    crm_private_key_unreadable: {
      means:
        '`crm.auth.privateKey` is not a private RSA key of at least 2,048 bits in PEM form without a passphrase. No request was sent.',
      next: 'Put the correct key in the settings.',
      document: SALESFORCE,
    },
    crm_query_endless: {
      means: 'A Salesforce query never finished, so its results were ignored.',
      next: 'Run the sync again. If the error persists, report it.',
    },
    crm_reading_endless: {
      means:
        'donor-sync could not finish reading the contacts, for example because they change faster than donor-sync can read them.',
      next: 'Run the sync again at a quieter time. If the error persists, report it.',
    },
    crm_redirected: {
      means:
        'The CRM redirects to another address. donor-sync does not follow redirects, so nothing was sent there.',
      next: 'If the CRM is at the address in the message, set `crm.url` to it.',
      document: SETTINGS,
    },
    crm_reply_too_large: {
      means: "The CRM's response was too large and was not read completely.",
      next: 'Check whether a proxy between donor-sync and the CRM changes the responses. The next run tries again.',
    },
    crm_request_refused: {
      means: 'The CRM refused a request for a permanent reason. The run stopped.',
      next: 'Correct the settings or the permissions as the message suggests, and run `donor-sync doctor ID`.',
    },
    crm_scope_missing: {
      means: 'The app or the token lacks a permission that donor-sync needs in the CRM.',
      next: 'In the app, add the scope from the message, then run `donor-sync connect ID` again.',
      document: CONNECTING,
    },
    crm_search_endless: {
      means: 'A HubSpot search never finished, so its results were ignored.',
      next: 'Run the sync again. If the error persists, report it.',
    },
    crm_trial_kept: {
      means:
        'donor-sync tested an update that Salesforce should have rolled back, but Salesforce kept it. donor-sync does not repeat this test in the same run.',
      next: 'Nothing. `donor-sync runs RUN` shows the values that were written.',
    },
    crm_unauthorized: {
      means:
        "The CRM does not accept donor-sync's credentials. The run stopped. No contact will be paid for twice.",
      next: 'Connect the account again with `donor-sync connect ID`, or renew the credentials in the settings. `donor-sync doctor ID` checks them.',
      costs: 'Nothing.',
      document: ACCOUNT_CHANGED,
    },
    crm_unavailable: {
      means:
        'The CRM did not respond, or had a temporary failure. The run stopped after several attempts.',
      next: 'No action is needed: the next run continues from there. If the problem persists, run `donor-sync doctor ID`.',
      document: 'docs/outcomes.md#why-a-run-stopped',
    },
    crm_version_unknown: {
      means: 'Salesforce does not support this version of its API. Nothing was read.',
      next: 'Set `crm.apiVersion` to the version in the message.',
      document: 'docs/guides/settings.md#crm-of-salesforce',
    },
    crm_write_check_failed: {
      means:
        'When donor-sync wrote values to a contact, the CRM changed other parts of the contact. donor-sync restored or listed these parts and then stopped writing.',
      next: 'Check the contact. Ask the provider of the CRM how a program can change only these values. Then raise `crm.writeCheck` in the settings to start the check again.',
      document: SETTINGS,
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
        'donor-sync cannot write source files for the fields of this kind of CRM. No file was written.',
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
      next: 'No action is needed: the next run reads the contact again and writes it.',
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
        'The CRM contains donor IDs that this database does not know: these contacts were paid for from another database. Nothing was spent.',
      next: 'Set `database` to the correct database, or restore its backup. If it is lost, run `donor-sync sync ID --adopt`.',
      costs: 'Nothing.',
      document: 'docs/guides/operating.md#another-database',
    },
    typed_values_overwritten: {
      means:
        'Users edited fields while donor-sync was writing to them. Each of their values was either restored or logged as lost.',
      next: '`donor-sync runs RUN` names the contacts with the reason `typed_value_restored` or `typed_value_lost`.',
      document: 'docs/outcomes.md#written',
    },
  },
};
