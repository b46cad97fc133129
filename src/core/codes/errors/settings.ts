import type { ErrorTopic } from './explanation.ts';

const DOCUMENT = 'docs/guides/settings.md';
const ENVIRONMENT = 'docs/guides/environment.md';

/** Errors about the settings, the environment, and the addresses in the settings. */
export const SETTINGS_ERRORS: ErrorTopic = {
  document: DOCUMENT,
  codes: {
    address_refused: {
      means:
        'The address was set in a browser, and it belongs to a private network. No request was sent.',
      next: 'If this is intended, ask the operator to allow the host. The operator can add the host to `allowInsecureHttp` in the settings file, or add the host and port to DONOR_SYNC_SETUP_HOSTS.',
    },
    alerts_unset: {
      means: 'The settings do not contain a recipient for alerts, so no message was sent.',
      next: 'Add `alerts.email` or `alerts.webhook` to the settings.',
      document: 'docs/guides/alerts.md',
    },
    alerts_own_unset: {
      means: 'The client does not have its own alert channel, so no message was sent.',
      next: "Add `alerts.webhook` to the client's settings, or test the channels of all clients with `donor-sync alerts test`.",
      document: 'docs/guides/alerts.md',
    },
    connector_cannot: {
      means:
        'donor-sync called a function that the connector says it does not have. This is a defect in the connector or in donor-sync.',
      next: 'Update the connector package. If the error persists, report it.',
      document: 'docs/guides/write-a-connector.md',
    },
    connector_closed: {
      means:
        'The connector was used after it was closed. This is a defect in the connector or in donor-sync.',
      next: 'Start the command again. If the error persists, report it.',
      document: 'docs/guides/write-a-connector.md',
    },
    connector_contract: {
      means:
        'The connector package is for another version of the connector contract. Nothing was loaded.',
      next: 'Install a version of the package that supports this version of donor-sync. If you wrote the package, adapt it and set its `contract`.',
      document: 'docs/guides/write-a-connector.md#the-version-of-the-contract',
    },
    connector_incomplete: {
      means:
        'A part of the contract is missing from the connector package, or is wrong. Nothing was loaded.',
      next: 'Update the package. If you wrote it, correct the parts in the message.',
      document: 'docs/guides/write-a-connector.md#the-connector',
    },
    connector_name_invalid: {
      means: "The folder's name cannot be used as a package name. Nothing was created.",
      next: 'Choose a name of lower-case letters, digits and hyphens that is not a built-in kind of CRM.',
      document: 'docs/guides/write-a-connector.md',
    },
    connector_unknown: {
      means: '`crm.kind` is neither a built-in kind of CRM nor an installed connector package.',
      next: 'Correct the name, or install the package where donor-sync runs.',
      document: 'docs/guides/write-a-connector.md#use-it',
    },
    crm_setting_unknown: {
      means:
        'The settings contain a key under `contacts` that does not exist for this kind of CRM. Nothing was read.',
      next: 'Remove the key from the settings.',
    },
    environment_file_unreadable: {
      means:
        'The file with environment variables exists but cannot be read. Nothing was started, because some settings might be missing.',
      next: 'Allow the user that runs donor-sync to read the file.',
      document: ENVIRONMENT,
    },
    environment_invalid: {
      means: 'An environment variable is missing or has an invalid value. Nothing was done.',
      next: 'Set the variable to one of the values in the message or in the table of variables.',
      document: ENVIRONMENT,
    },
    file_unreadable: {
      means: 'The file cannot be read. Nothing was saved.',
      next: 'Check the path and the permissions.',
    },
    insecure_http: {
      means:
        'The address would send secrets over plain http. Nothing was sent to it, and nothing was saved.',
      next: 'Use an https address. If you trust the host, list it in `allowInsecureHttp`.',
    },
    integration_in_settings: {
      means:
        'The settings file still contains the client, so the next sync would pay for its contacts again. Nothing was erased.',
      next: 'Run `donor-sync disconnect ID`, remove the client from the settings file, restart `donor-sync serve`, and repeat the command.',
      document: 'docs/guides/operating.md#a-nonprofit-that-leaves',
    },
    integration_unknown: {
      means:
        'There is no client with this ID, or you do not have access to the client. Nothing was changed.',
      next: 'Check the spelling: `donor-sync status` lists the clients. If you changed the settings file, restart `donor-sync serve`.',
    },
    integration_unusable: {
      means: "The client's settings do not allow a connection, so the run did not start.",
      next: 'Run `donor-sync doctor ID` to find the setting.',
    },
    not_applied: {
      means: 'The client is not in the database, so there is nothing to remove there.',
      next: 'Remove the client from the settings file.',
      document: 'docs/guides/settings.md#settings-in-the-database',
    },
    operator_needed: {
      means:
        'The setting refers to a package or a file on the machine, so it cannot be changed over HTTP. Nothing was saved.',
      next: 'The operator can run `donor-sync apply FILE` on the machine.',
      document: 'docs/guides/settings.md#settings-in-the-database',
    },
    proxy_invalid: {
      means: 'An environment variable contains an invalid proxy address. No request was sent.',
      next: 'Set the variable to an address with a port, such as `http://127.0.0.1:3128`, or unset it.',
      document: 'docs/guides/environment.md#a-proxy',
    },
    schedule_invalid: {
      means:
        'The times or the time zone of the schedule are not valid. The schedule was not changed.',
      next: 'Use five cron fields, for example `0 2 * * *`, and a time zone such as `America/Chicago`.',
    },
    schedule_missing: {
      means: 'The client has no schedule, so nothing was paused or resumed.',
      next: "Add a `schedule` to the client's settings.",
    },
    set_in_file: {
      means:
        "The operator's settings file contains this client and takes precedence over the database. Nothing was changed.",
      next: 'Change the client in that file. To keep it in the database instead, remove it there, restart `donor-sync serve`, and apply it: `donor-sync apply FILE`.',
      document: 'docs/guides/settings.md#settings-in-the-database',
    },
    settings_changed: {
      means: 'The settings file was changed while the command ran. Nothing was written.',
      next: 'Run the command again.',
    },
    settings_exist: {
      means: 'The settings file already exists. It was not changed.',
      next: 'Choose another file with `--config`, add a client with `donor-sync add`, or replace the file with `--force`.',
    },
    settings_invalid: {
      means: 'The settings contain errors. Nothing was done.',
      next: 'Correct each error that the message names. `donor-sync doctor` lists the errors again.',
    },
    settings_not_found: {
      means: 'There is no settings file at this path. Nothing was done.',
      next: 'Run `donor-sync init` to create one, or name yours with `--config FILE` or DONOR_SYNC_CONFIG.',
    },
    settings_unreadable: {
      means: 'The settings file exists but cannot be read. Nothing was done.',
      next: 'Check that it is a file and that this user can read it.',
    },
    settings_unwritable: {
      means:
        'There is no settings file, and donor-sync cannot create one here. The service did not start.',
      next: 'Start donor-sync in its own folder, where it can write, or name a settings file with `--config`.',
    },
  },
};
