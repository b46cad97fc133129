import { DOOR_ACTIONS, DOOR_RESPONSES, doorDocument } from '../../../src/core/token-door.ts';
import { type MetadataElements, metadataFile } from './metadata-file.ts';

/**
 * The example address in `deploy/salesforce`. The command `donor-sync salesforce app` replaces the example address with
 * the client's address.
 */
export const EXAMPLE_URL = 'https://donors.example.org/doors/token/riverside';

/**
 * The name under which the API is registered in Salesforce. Flows call the API's actions by names such as
 * `donorSync.status`.
 */
const SERVICE = 'donorSync';

/** The name of the named credential, of its external credential and of the principal that holds the token. */
const CREDENTIAL = 'donor_sync';
const PRINCIPAL = 'client';

/** The name of the parameter in which an administrator enters the token. */
export const TOKEN_PARAMETER = 'token';

/** The permission set for users who may press the button. */
export const ENHANCERS = { name: 'donor_sync_enhancers', label: 'donor-sync: enhance now' };

/**
 * An additional permission set for users of person accounts. The other permission set cannot refer to a flow from this
 * folder.
 */
export const PERSON_ENHANCERS = {
  name: 'donor_sync_enhancers_person_accounts',
  label: 'donor-sync: enhance person accounts',
};

export const ENHANCE_LABEL = 'Enhance now';

const FLOW = 'donor_sync_enhance';
const PERSON_FLOW = 'donor_sync_enhance_person_account';

/**
 * Returns the button "Enhance now". The button needs no Apex, because a quick action on Contact opens a screen flow. It
 * needs no Apex: a quick action on Contact opens a screen flow. The flow calls two actions through a named credential.
 * Salesforce's External Services create these actions from our OpenAPI document. `url` is the client's https address
 * for this app, without a trailing slash.
 */
export function enhanceAction(apiVersion: string, url: string): [path: string, text: string][] {
  return [
    [
      `externalServiceRegistrations/${SERVICE}.externalServiceRegistration-meta.xml`,
      metadataFile('ExternalServiceRegistration', registration()),
    ],
    [
      `externalCredentials/${CREDENTIAL}.externalCredential-meta.xml`,
      metadataFile('ExternalCredential', externalCredential()),
    ],
    [
      `namedCredentials/${CREDENTIAL}.namedCredential-meta.xml`,
      metadataFile('NamedCredential', namedCredential(url)),
    ],
    [`flows/${FLOW}.flow-meta.xml`, metadataFile('Flow', enhanceFlow(apiVersion))],
    [
      `quickActions/Contact.${FLOW}.quickAction-meta.xml`,
      metadataFile('QuickAction', quickAction(FLOW)),
    ],
    [
      `permissionsets/${ENHANCERS.name}.permissionset-meta.xml`,
      metadataFile('PermissionSet', permissionSet()),
    ],
  ];
}

/**
 * Returns the button "Enhance now" for Account. A flow finds the contact of the person account and then continues as on
 * Contact.
 */
export function personAccountAction(apiVersion: string): [path: string, text: string][] {
  return [
    [`flows/${PERSON_FLOW}.flow-meta.xml`, metadataFile('Flow', personAccountFlow(apiVersion))],
    [
      `quickActions/Account.${PERSON_FLOW}.quickAction-meta.xml`,
      metadataFile('QuickAction', quickAction(PERSON_FLOW)),
    ],
    [
      `permissionsets/${PERSON_ENHANCERS.name}.permissionset-meta.xml`,
      metadataFile('PermissionSet', personAccountSet()),
    ],
  ];
}

function registration(): MetadataElements {
  const noSettings = {
    host: '',
    basePath: '/',
    allowedSchemes: [],
    requestMediaTypes: [],
    responseMediaTypes: [],
    compatibleMediaTypes: {},
  };
  return {
    description: 'Reads the status of a contact in donor-sync, and has a contact enhanced.',
    label: SERVICE,
    namedCredentialReference: CREDENTIAL,
    operations: Object.values(DOOR_ACTIONS).map((name) => ({ active: true, name })),
    registrationProviderType: 'Custom',
    schema: JSON.stringify(doorDocument()),
    schemaType: 'OpenApi3',
    serviceBinding: JSON.stringify(noSettings),
    status: 'Complete',
    systemVersion: 3,
  };
}

/**
 * The token identifies the org and the client, but not the user. With the token, every user who has the permission set
 * gets the same permissions. The generated files do not contain the token. An administrator enters the token in
 * Salesforce Setup.
 */
function externalCredential(): MetadataElements {
  return {
    authenticationProtocol: 'Custom',
    externalCredentialParameters: [
      {
        parameterGroup: PRINCIPAL,
        parameterName: PRINCIPAL,
        parameterType: 'NamedPrincipal',
        sequenceNumber: 1,
      },
      {
        parameterGroup: 'DefaultGroup',
        parameterName: 'Authorization',
        parameterType: 'AuthHeader',
        parameterValue: `{!'Bearer ' & $Credential.${CREDENTIAL}.${TOKEN_PARAMETER}}`,
        sequenceNumber: 1,
      },
    ],
    label: 'donor-sync',
  };
}

function namedCredential(url: string): MetadataElements {
  return {
    allowMergeFieldsInBody: false,
    allowMergeFieldsInHeader: true,
    calloutStatus: 'Enabled',
    generateAuthorizationHeader: false,
    label: 'donor-sync',
    namedCredentialParameters: [
      { parameterName: 'Url', parameterType: 'Url', parameterValue: url },
      {
        externalCredential: CREDENTIAL,
        parameterName: 'ExternalCredential',
        parameterType: 'Authentication',
      },
    ],
    namedCredentialType: 'SecuredEndpoint',
  };
}

/** Only users who may run the flow see the button. Users also need permission to read user external credentials. */
function permissionSet(): MetadataElements {
  return {
    description: 'Lets users enhance a contact from its page, and see its status in donor-sync.',
    externalCredentialPrincipalAccesses: {
      enabled: true,
      externalCredentialPrincipal: `${CREDENTIAL}-${PRINCIPAL}`,
    },
    flowAccesses: { enabled: true, flow: FLOW },
    hasActivationRequired: false,
    label: ENHANCERS.label,
    objectPermissions: {
      allowCreate: false,
      allowDelete: false,
      allowEdit: false,
      allowRead: true,
      modifyAllRecords: false,
      object: 'UserExternalCredential',
      viewAllRecords: false,
    },
  };
}

/** Returns the permission set for the flow of person accounts. Some orgs do not have the flow of person accounts. */
function personAccountSet(): MetadataElements {
  return {
    description: 'Lets users open the button on person accounts, in addition to the other set.',
    flowAccesses: { enabled: true, flow: PERSON_FLOW },
    hasActivationRequired: false,
    label: PERSON_ENHANCERS.label,
  };
}

function quickAction(flowDefinition: string): MetadataElements {
  return { flowDefinition, label: ENHANCE_LABEL, optionsCreateFeedItem: false, type: 'Flow' };
}

const STATUS = `Read_status.${DOOR_RESPONSES.status}`;
const RECEIPT = `Enhance.${DOOR_RESPONSES.enhance}`;

/**
 * Returns the flow: status ► "Enhance: 1 credit" ► enhance ► receipt. If a contact cannot be enhanced, the flow ends
 * after the status. Every response other than 2xx leads to the fault path, which shows the message.
 */
function enhanceFlow(apiVersion: string): MetadataElements {
  return {
    ...flowFrame(apiVersion, 'donor-sync: enhance now'),
    actionCalls: [
      {
        ...at('Read_status', 'Read the status', 0),
        actionName: `${SERVICE}.${DOOR_ACTIONS.status}`,
        actionType: 'externalService',
        connector: to('Can_it_be_enhanced'),
        faultConnector: to('Failed'),
        inputParameters: [input('contact', 'recordId'), input('org', 'Org_ID')],
        storeOutputAutomatically: true,
      },
      {
        ...at('Enhance', 'Enhance', 3),
        actionName: `${SERVICE}.${DOOR_ACTIONS.enhance}`,
        actionType: 'externalService',
        connector: to('Receipt'),
        faultConnector: to('Failed'),
        inputParameters: [
          input('contact', 'recordId'),
          input('org', 'Org_ID'),
          input('click', '$Flow.InterviewGuid'),
        ],
        storeOutputAutomatically: true,
      },
    ],
    decisions: {
      ...at('Can_it_be_enhanced', 'Can it be enhanced?', 1),
      defaultConnector: to('Status_only'),
      defaultConnectorLabel: 'No',
      rules: {
        name: 'Yes',
        conditionLogic: 'and',
        conditions: {
          leftValueReference: `${STATUS}.canEnhance`,
          operator: 'EqualTo',
          rightValue: { booleanValue: true },
        },
        connector: to('Confirm'),
        label: 'Yes',
      },
    },
    screens: [
      screen(
        'Confirm',
        'Enhance this contact',
        2,
        'Enhance: 1 credit',
        [
          `<p>{!${STATUS}.status}</p>`,
          '<p>Press <strong>Enhance: 1 credit</strong> to have this contact enhanced now.</p>',
          linkTo(`${STATUS}.link`),
        ],
        'Enhance',
      ),
      screen('Status_only', 'Status', 2, 'Close', [
        `<p>{!${STATUS}.status}</p>`,
        linkTo(`${STATUS}.link`),
      ]),
      screen('Receipt', 'Enhance this contact', 4, 'Close', [
        `<p>{!${RECEIPT}.message}</p>`,
        `<p>Contacts that can still be enhanced from Salesforce today: {!${RECEIPT}.left}</p>`,
        linkTo(`${RECEIPT}.link`),
      ]),
      screen('Failed', 'Not enhanced', 4, 'Close', [
        '<p>donor-sync did not accept the request, so this request has spent no credit.</p>',
        '<p>{!$Flow.FaultMessage}</p>',
      ]),
    ],
    // Salesforce uses IDs with 15 and with 18 characters.
    formulas: {
      name: 'Org_ID',
      dataType: 'String',
      expression: 'CASESAFEID({!$Organization.Id})',
    },
    start: { ...position(0), connector: to('Read_status') },
    variables: recordId(),
  };
}

function personAccountFlow(apiVersion: string): MetadataElements {
  return {
    ...flowFrame(apiVersion, 'donor-sync: enhance now (person account)'),
    decisions: {
      ...at('Is_person_account', 'Is it a person account?', 1),
      defaultConnector: to('Not_a_person'),
      defaultConnectorLabel: 'No',
      rules: {
        name: 'Yes',
        conditionLogic: 'and',
        conditions: {
          leftValueReference: 'Find_contact.IsPersonAccount',
          operator: 'EqualTo',
          rightValue: { booleanValue: true },
        },
        connector: to('Enhance_contact'),
        label: 'Yes',
      },
    },
    recordLookups: {
      ...at('Find_contact', 'Find the contact', 0),
      assignNullValuesIfNoRecordsFound: false,
      connector: to('Is_person_account'),
      filterLogic: 'and',
      filters: { field: 'Id', operator: 'EqualTo', value: { elementReference: 'recordId' } },
      getFirstRecordOnly: true,
      object: 'Account',
      queriedFields: ['Id', 'IsPersonAccount', 'PersonContactId'],
      storeOutputAutomatically: true,
    },
    screens: [
      screen('Not_a_person', 'Not a person account', 2, 'Close', [
        '<p>This account is an organization. Open the contact of a person instead.</p>',
      ]),
    ],
    start: { ...position(0), connector: to('Find_contact') },
    subflows: {
      ...at('Enhance_contact', 'Enhance the contact', 2),
      flowName: FLOW,
      inputAssignments: input('recordId', 'Find_contact.PersonContactId'),
    },
    variables: recordId(),
  };
}

function flowFrame(apiVersion: string, label: string): MetadataElements {
  const builder = { BuilderType: 'LightningFlowBuilder', CanvasMode: 'AUTO_LAYOUT_CANVAS' };
  return {
    apiVersion,
    environments: 'Default',
    interviewLabel: `${label} {!$Flow.CurrentDateTime}`,
    label,
    processMetadataValues: Object.entries(builder).map(([name, stringValue]) => ({
      name,
      value: { stringValue },
    })),
    processType: 'Flow',
    status: 'Active',
  };
}

/** Returns the flow's variable. Quick actions require this variable name. */
function recordId(): MetadataElements {
  return {
    name: 'recordId',
    dataType: 'String',
    isCollection: false,
    isInput: true,
    isOutput: false,
  };
}

function screen(
  name: string,
  label: string,
  row: number,
  button: string,
  paragraphs: readonly string[],
  next?: string,
): MetadataElements {
  return {
    ...at(name, label, row),
    allowBack: false,
    allowFinish: true,
    allowPause: false,
    ...(next === undefined ? {} : { connector: to(next) }),
    fields: { name: `${name}_text`, fieldText: paragraphs.join(''), fieldType: 'DisplayText' },
    nextOrFinishButtonLabel: button,
    showFooter: true,
    showHeader: true,
  };
}

function linkTo(reference: string): string {
  return `<p><a href="{!${reference}}" target="_blank" rel="noopener noreferrer">Open in donor-sync</a></p>`;
}

function input(name: string, elementReference: string): MetadataElements {
  return { name, value: { elementReference } };
}

function to(targetReference: string): MetadataElements {
  return { targetReference };
}

function at(name: string, label: string, row: number): MetadataElements {
  return { name, label, ...position(row) };
}

/** Salesforce requires a position, although its flow editor arranges the elements automatically. */
function position(row: number) {
  return { locationX: 176, locationY: 134 + 108 * row };
}
