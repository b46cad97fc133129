import type { AboutRemoteCrm } from '../about.ts';

export const aboutCivicrm: AboutRemoteCrm = {
  kind: 'civicrm',
  name: 'CiviCRM',
  setup: {
    address: {
      noun: 'the address of your CiviCRM site',
      ask: 'What is the address of your CiviCRM site?',
      label: 'Address of the site',
      hint: 'The part before /civicrm, for example https://crm.example.org.',
      placeholder: 'https://crm.example.org',
    },
    signIns: [
      {
        type: 'apiKey',
        label: 'API key',
        fields: [
          {
            name: 'apiKey',
            noun: 'the API key',
            label: 'API key',
            hint: "The contact's tab API Key, for a user who is only for donor-sync.",
            isSecret: true,
            variable: 'CIVICRM_API_KEY',
          },
        ],
        browser: 'key',
      },
    ],
    howTo: [
      'In CiviCRM: Administer → System Settings → Extensions: enable AuthX.',
      'Administer → System Settings → Authentication: accept API keys for HTTP header X-Civi-Auth.',
      'Create a user for donor-sync with the permissions that the guide “Getting started with CiviCRM” lists.',
      "Open this user's contact, tab API Key, and create a key.",
    ],
    contactMarks: [
      { field: 'do_not_mail', label: 'no letters' },
      { field: 'do_not_email', label: 'no e-mail' },
      { field: 'do_not_phone', label: 'no calls' },
      { field: 'do_not_sms', label: 'no text messages' },
      { field: 'do_not_trade', label: 'no sharing of data' },
      { field: 'is_opt_out', label: 'no bulk mailings' },
    ],
    filterExample: '[["contact_sub_type:name", "CONTAINS", "Donor"]]',
    groupExample: '{ group: "Board of Directors" }',
  },
};
