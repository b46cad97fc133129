import type { AboutRemoteCrm } from '../about.ts';
import { hubspotDoor } from './door.ts';
import { hubspotWebhooks } from './webhooks.ts';

export const aboutHubspot: AboutRemoteCrm = {
  kind: 'hubspot',
  name: 'HubSpot',
  offers: ['lists'],
  removesFormerValues: 'delete the contact permanently in HubSpot',
  webhooks: hubspotWebhooks,
  door: hubspotDoor,
  setup: {
    address: {
      noun: 'the address of the HubSpot API',
      ask: 'What is the address of the HubSpot API?',
      label: 'API address',
      usual: 'https://api.hubapi.com',
      isForAll: true,
    },
    signIns: [
      {
        type: 'token',
        label: 'Service key',
        fields: [
          {
            name: 'token',
            noun: 'the service key',
            label: 'Service key',
            hint: 'Development → Keys → Service keys. Then leave the fields above empty.',
            placeholder: 'pat-…',
            isSecret: true,
            variable: 'HUBSPOT_TOKEN',
          },
        ],
        browser: 'key',
      },
      {
        type: 'oauth',
        label: 'A user grants access on a HubSpot page',
        fields: [
          {
            name: 'clientId',
            noun: "the app's client ID",
            label: "The app's client ID",
            isSecret: false,
            variable: 'HUBSPOT_CLIENT_ID',
          },
          {
            name: 'clientSecret',
            noun: "the app's client secret",
            label: 'Client secret',
            isSecret: true,
            variable: 'HUBSPOT_CLIENT_SECRET',
          },
        ],
        browser: 'app',
        isConsent: true,
      },
    ],
    howTo: [
      'In HubSpot: Development → Projects: create a project with an app that signs in with OAuth.',
      'Enter the redirect URL below, and the scopes that the guide “HubSpot: the key or the app” lists.',
      "The app's Auth tab shows the client ID and the client secret.",
    ],
    foldedTitle: 'A service key instead, or another address',
    employers: [
      { value: 'both', label: 'the company text and the primary company' },
      { value: 'company', label: 'the text “Company name”' },
      { value: 'associated', label: 'the primary company' },
    ],
    filterExample: 'lifecyclestage = customer',
    groupExample: '{ list: "Board of Directors" }',
  },
};
