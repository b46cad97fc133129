/**
 * The pages of the guide in the order of its menu. Documents that are not in this list are available only in the
 * repository.
 */

export interface GuidePage {
  /** The document's path in the repository. For a generated page, no file exists at this path. */
  document: string;
  /** The page's name in the menu. */
  name: string;
  /** A sentence that describes the page. The start page and the search results contain it. */
  about: string;
  /** True if the search must find each row of the page's tables by its first cell. */
  hasRows?: true;
  /**
   * The weight of the page's sections in the search. The weight is 1. For reference pages it is less, because they
   * mention every topic.
   */
  weight?: number;
}

export interface GuideGroup {
  name: string;
  pages: readonly GuidePage[];
}

/** The page with all error codes. It is generated from the explanations in `donor-sync help CODE`. */
export const ERRORS_PAGE = 'docs/errors.md';

/** The page with all settings. It is generated from the schema of the settings. */
export const SETTINGS_PAGE = 'docs/all-settings.md';

export const CONTENTS: readonly GuideGroup[] = [
  {
    name: 'Start here',
    pages: [
      page(
        'docs/concepts.md',
        'Concepts',
        'Clients, credits, runs, decisions and undo: read this page first.',
        { weight: 1.3 },
      ),
      page(
        'docs/faq.md',
        'Questions and answers',
        'Short answers to the questions of the first weeks.',
        { weight: 1.3 },
      ),
      page(
        'docs/guides/getting-started-csv.md',
        'CSV file, step by step',
        'From an exported list to the first sync, in a terminal.',
      ),
      page(
        'docs/guides/getting-started-salesforce.md',
        'Salesforce, step by step',
        'Access, settings, fields and the first sync.',
      ),
      page(
        'docs/guides/salesforce-record.md',
        'Salesforce: on the record page',
        'The profile on a contact, and the button Enhance now.',
      ),
      page(
        'docs/guides/getting-started-hubspot.md',
        'HubSpot, step by step',
        'Access, settings, properties and the first sync.',
      ),
      page(
        'docs/guides/hubspot-card.md',
        'HubSpot: on the record',
        'The card on a contact, and the action for workflows.',
      ),
      page(
        'docs/guides/getting-started-civicrm.md',
        'CiviCRM, step by step',
        'Access, settings, marks, fields and the first sync (preview).',
      ),
      page(
        'docs/guides/getting-started-bloomerang.md',
        'Bloomerang, step by step',
        'A preview: the key, custom fields, the first write and what is not verified.',
      ),
      page(
        'docs/guides/try-in-a-real-account.md',
        'Checklist for a test account',
        'What to try in a sandbox org or a test account first.',
      ),
    ],
  },
  {
    name: 'When something is wrong',
    pages: [
      page(
        'docs/troubleshooting.md',
        'Troubleshooting',
        'Find your symptom, its cause and its fix.',
        { hasRows: true },
      ),
      page(
        'docs/outcomes.md',
        'Outcomes and reasons',
        'Why a contact was written, was skipped, failed, is held, or waits.',
        { hasRows: true },
      ),
      page(
        ERRORS_PAGE,
        'Error codes',
        'Every error code: what happened, what did not, and what to do next.',
        { weight: 0.6 },
      ),
    ],
  },
  {
    name: 'Every day',
    pages: [
      page(
        'docs/guides/status-page.md',
        'The pages',
        'What each page in the browser does, and who sees it.',
      ),
      page(
        'docs/guides/operating.md',
        'Operating',
        'Runs, decisions, credits, undo, erasure, backups and keys in a terminal.',
      ),
      page(
        'docs/guides/users.md',
        'Users and roles',
        'Invitations, roles, passwords, passkeys and second users.',
        { hasRows: true },
      ),
      page(
        'docs/guides/alerts.md',
        'Alerts',
        'Messages by e-mail or chat when something needs your attention.',
      ),
      page('docs/guides/networks.md', 'Networks', 'Use CRM groups as networks at the service.'),
      page(
        'docs/guides/warm-paths.md',
        'Warm paths',
        'Who can introduce you to a contact, and what finding that out costs.',
      ),
      page(
        'docs/guides/webhooks.md',
        'Webhooks',
        'Start a run from the CRM when a contact changes.',
      ),
    ],
  },
  {
    name: 'Connect a CRM',
    pages: [
      page(
        'docs/guides/sign-in-salesforce.md',
        'Salesforce, click by click',
        'The user and the app that donor-sync signs in with.',
      ),
      page(
        'docs/guides/sign-in-hubspot.md',
        'HubSpot, click by click',
        'The service key or the project app.',
      ),
      page(
        'docs/guides/connecting.md',
        'Connect an account once',
        "Grant access on the CRM's own page.",
      ),
      page(
        'connectors/salesforce/README.md',
        'Salesforce connector',
        'Permissions, limits and details of Salesforce.',
        { weight: 0.6 },
      ),
      page(
        'connectors/hubspot/README.md',
        'HubSpot connector',
        'Permissions, limits and details of HubSpot.',
        { weight: 0.6 },
      ),
      page(
        'connectors/civicrm/README.md',
        'CiviCRM connector',
        'Permissions, limits and details of CiviCRM.',
        { weight: 0.6 },
      ),
      page(
        'connectors/bloomerang/README.md',
        'Bloomerang connector',
        'Permissions, limits and details of Bloomerang.',
        { weight: 0.6 },
      ),
      page('connectors/csv/README.md', 'CSV connector', 'File layouts, columns and results.', {
        weight: 0.6,
      }),
      page(
        'deploy/salesforce/README.md',
        'Salesforce fields as source',
        'Deploy the fields and the permission set with `sf`.',
      ),
    ],
  },
  {
    name: 'Install and run',
    pages: [
      page(
        'docs/guides/run-with-docker.md',
        'In a container',
        'Run donor-sync with Docker or Podman.',
      ),
      page(
        'docs/guides/run-with-systemd.md',
        'As a Linux service',
        'Run donor-sync under systemd.',
      ),
      page('docs/guides/many-machines.md', 'On many machines', 'Postgres, workers and Kubernetes.'),
      page(
        'docs/scale.md',
        'Measured limits',
        'The numbers of contacts and clients that were measured.',
        {
          weight: 0.6,
        },
      ),
      page(
        'docs/privacy.md',
        'Personal data',
        'Which personal data donor-sync keeps, where, and for how long.',
      ),
    ],
  },
  {
    name: 'Reference',
    pages: [
      page('docs/guides/commands.md', 'All commands', 'The purpose of each terminal command.', {
        weight: 0.6,
      }),
      page(
        'docs/guides/settings.md',
        'Settings',
        'The settings file and the meaning of each setting.',
        { hasRows: true, weight: 0.7 },
      ),
      page(
        SETTINGS_PAGE,
        'All settings by name',
        'Every setting with its values and its default.',
        { weight: 0.4 },
      ),
      page('docs/guides/environment.md', 'Environment', 'Environment variables and proxies.', {
        hasRows: true,
      }),
      page(
        'docs/guides/http-api.md',
        'HTTP API',
        'Requests, access tokens, metrics, and running behind a proxy.',
        { weight: 0.5 },
      ),
    ],
  },
  {
    name: 'Try and extend',
    pages: [
      page(
        'docs/guides/sandbox.md',
        'The sandbox',
        'A local stand-in for the service, with invented people.',
        { weight: 0.4 },
      ),
      page(
        'docs/guides/sandbox-salesforce.md',
        'The Salesforce sandbox',
        'A local stand-in for an org, with invented people.',
        { weight: 0.4 },
      ),
      page(
        'docs/guides/sandbox-hubspot.md',
        'The HubSpot sandbox',
        'A local stand-in for an account, with invented people.',
        { weight: 0.4 },
      ),
      page('docs/guides/service.md', 'Your own service', 'Run your own Partner Data Service.', {
        weight: 0.5,
      }),
      page(
        'docs/guides/write-a-connector.md',
        'Write a connector',
        'Support another CRM, in your own package.',
        { weight: 0.4 },
      ),
    ],
  },
];

function page(
  document: string,
  name: string,
  about: string,
  more: Pick<GuidePage, 'hasRows' | 'weight'> = {},
): GuidePage {
  return { document, name, about, ...more };
}
