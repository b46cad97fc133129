import type { AboutRemoteCrm } from '../about.ts';

export const aboutBloomerang: AboutRemoteCrm = {
  kind: 'bloomerang',
  name: 'Bloomerang',
  setup: {
    address: {
      noun: 'the address of the Bloomerang API',
      ask: 'What is the address of the Bloomerang API?',
      label: 'API address',
      usual: 'https://api.bloomerang.co/v2',
      isForAll: true,
    },
    signIns: [
      {
        type: 'apiKey',
        label: 'Private API key',
        fields: [
          {
            name: 'apiKey',
            noun: 'the private API key',
            label: 'Private API key',
            hint: 'Your name → Edit My User → API keys. A public key (pub_…) does not work.',
            isSecret: true,
            variable: 'BLOOMERANG_API_KEY',
          },
        ],
        browser: 'key',
      },
    ],
    howTo: [
      'In Bloomerang, create a user for donor-sync, so that its changes have their own name in the history.',
      'Sign in as this user, open Edit My User, and create a private API key.',
      'Create the custom fields that the guide lists. Bloomerang does not let programs create them.',
    ],
    foldedTitle: 'Another address',
    contactMarks: [
      { field: 'CommunicationRestrictions', value: 'DoNotCall', label: 'no calls' },
      { field: 'CommunicationRestrictions', value: 'DoNotMail', label: 'no letters' },
      { field: 'CommunicationRestrictions', value: 'DoNotSolicit', label: 'no requests for money' },
    ],
    groupExample: '{ group: "Board of Directors" }',
  },
};
