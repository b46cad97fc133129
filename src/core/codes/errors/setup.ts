import type { ErrorTopic } from './explanation.ts';

/** The set-up of clients in a browser. */
export const SETUP_ERRORS: ErrorTopic = {
  document: 'docs/guides/status-page.md#set-up',
  codes: {
    name_missing: {
      means: 'The name of the client is missing. No set-up was started.',
      next: 'Enter a name.',
    },
    setup_address_invalid: {
      means: 'The text is not a web address. Nothing was saved.',
      next: 'Enter an https address.',
    },
    setup_address_private: {
      means:
        'An address in a private network cannot be set in a browser. Nothing was saved, and no request was sent.',
      next: 'Ask the operator to add the host to `allowInsecureHttp` in the settings file, or to add the host and port to DONOR_SYNC_SETUP_HOSTS.',
    },
    setup_answer_invalid: {
      means: 'An answer in this step is invalid. Nothing was saved.',
      next: 'Correct the field in the message.',
    },
    setup_answer_missing: {
      means: 'An answer in this step is missing. Nothing was saved.',
      next: 'Fill in the field in the message.',
    },
    setup_field_twice: {
      means: 'Two values would be written to the same field. Nothing was saved.',
      next: 'Choose another field for one of them.',
    },
    setup_file_elsewhere: {
      means:
        'With Postgres, a file cannot be uploaded here, because other machines could not read it. Nothing was saved.',
      next: 'The operator can put the file where all machines can read it, and add its path to the settings file.',
    },
    setup_kind_refused: {
      means: 'This kind of CRM cannot be set up in a browser. Nothing was saved.',
      next: 'Choose a CRM that the page offers, or a CSV file. The operator adds other kinds to the settings file.',
    },
    setup_my_domain_needed: {
      means:
        'Client credentials do not work with the general Salesforce sign-in addresses. Nothing was changed.',
      next: "Enter the org's My Domain address, which Salesforce shows under Setup → My Domain.",
    },
    setup_network_twice: {
      means: 'Two networks have the same name. Nothing was saved.',
      next: 'Give each network its own name.',
    },
    setup_of_file: {
      means:
        "This client is in the operator's settings file, which takes precedence. Nothing was changed.",
      next: 'Change the client in the settings file, or remove it from there first.',
    },
    setup_other_crm: {
      means: 'This client already has contacts from another CRM. Nothing was changed.',
      next: 'Add another client for the other CRM.',
    },
    setup_outdated: {
      means: 'The client has been changed elsewhere since this set-up started. Nothing was saved.',
      next: 'Discard this set-up and start again.',
    },
    setup_path_refused: {
      means:
        "This client's file is in the operator's settings, so it cannot be replaced in a browser. Nothing was changed.",
      next: 'Ask the operator to replace the file on the machine.',
    },
    setup_secret_again: {
      means:
        'The address or the app has changed, so the saved secret was not sent there. Nothing was saved.',
      next: 'Type the secret again.',
    },
    setup_unknown: {
      means: 'There is no set-up for this client, or you do not have access to it.',
      next: 'Open the list of clients and start a set-up there.',
    },
    setup_untried: {
      means: 'You must try a few contacts before all of them are sent. Nothing was sent.',
      next: 'Try a few contacts and check their values first.',
    },
    setup_variable_refused: {
      means:
        'Values entered in a browser cannot refer to environment variables. Nothing was saved.',
      next: 'Enter the value itself. The operator can use variables in the settings file.',
    },
    uploads_busy: {
      means: 'Too many files are being read at the moment. The file was not saved.',
      next: 'Try again in a minute.',
    },
  },
};
