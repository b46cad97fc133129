/**
 * Creates the OpenAPI document of the door. Salesforce's External Services create flow actions from this document.
 * External Services support only OpenAPI 3.0, Apex identifiers as names, and objects without nesting. In this document,
 * each response needs a body, and descriptions must have fewer than 1,333 characters. Salesforce ignores `security` and
 * response headers. Salesforce takes the token from its named credential.
 */

/** The actions, with the names that flows use. Names never change, because a change would break existing flows. */
export const DOOR_ACTIONS = { status: 'status', enhance: 'enhance' } as const;

/** The statuses of successful responses. External Services use them in the names of output parameters. */
export const DOOR_RESPONSES = { status: 200, enhance: 202 } as const;

/** The path of the door. The client's ID follows. */
export const TOKEN_DOOR = '/doors/token';

/** The parts of the path that follow the client's ID. */
export const DOOR_PATHS = {
  status: '/contacts/{contact}',
  enhance: '/contacts/{contact}/enhance',
} as const;

/** The path of the document. All clients use the same document, which contains no secret. */
export const DOOR_DOCUMENT_PATH = `${TOKEN_DOOR}/openapi.json`;

export function doorAddress(publicUrl: string, integrationId: string): string {
  return `${publicUrl}${TOKEN_DOOR}/${encodeURIComponent(integrationId)}`;
}

const CONTACT = {
  name: 'contact',
  in: 'path',
  required: true,
  description: 'The ID of the contact in the CRM.',
  schema: { type: 'string' },
};

/**
 * The ID of the calling org. A copied org, such as a sandbox, has the same contact IDs and possibly the same token. The
 * org sends its ID, so that only the connected org gets an answer.
 */
const ORG = {
  name: 'org',
  in: 'query',
  required: true,
  description: 'The ID of the CRM account that calls.',
  schema: { type: 'string' },
};

/** The ID of the flow's interview. A repeated request has the same interview ID, so it costs only one credit. */
const CLICK = {
  name: 'click',
  in: 'query',
  required: true,
  description: 'Identifies the click. A repeated request with the same value counts once.',
  schema: { type: 'string' },
};

/**
 * Returns the document. The document does not contain the server's address, because the named credential contains it.
 */
export function doorDocument(): Record<string, unknown> {
  return {
    openapi: '3.0.3',
    info: {
      title: 'donor-sync at a record',
      version: '1.0.0',
      description: 'Reads the status of one contact, and has one contact enhanced.',
    },
    paths: {
      [DOOR_PATHS.status]: {
        get: {
          operationId: DOOR_ACTIONS.status,
          summary: 'Read the status of one contact',
          description: 'Returns a sentence for the user. It changes nothing and costs nothing.',
          parameters: [CONTACT, ORG],
          responses: { [DOOR_RESPONSES.status]: respondWith('DoorStatus') },
        },
      },
      [DOOR_PATHS.enhance]: {
        post: {
          operationId: DOOR_ACTIONS.enhance,
          summary: 'Enhance one contact now',
          description:
            'Marks the contact as wanted. A run enhances it for one credit, unless a rule of the client prevents that.',
          parameters: [CONTACT, ORG, CLICK],
          responses: { [DOOR_RESPONSES.enhance]: respondWith('DoorReceipt') },
        },
      },
    },
    components: {
      schemas: {
        DoorStatus: flatObject({
          contact: ['string', 'The ID of the contact.'],
          status: ['string', 'The status in one or two sentences.'],
          canEnhance: [
            'boolean',
            'False while the contact is wanted already or waits for a decision.',
          ],
          link: ['string', "The contact's page in donor-sync, where users sign in and decide."],
        }),
        DoorReceipt: flatObject({
          contact: ['string', 'The ID of the contact.'],
          message: ['string', 'What happens next, in one sentence.'],
          left: ['integer', 'How many more contacts can be marked as wanted today.'],
          link: ['string', "The contact's page in donor-sync."],
        }),
      },
    },
  };
}

function respondWith(schema: string) {
  return {
    description: 'Done.',
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
  };
}

function flatObject(properties: Record<string, [type: string, description: string]>) {
  return {
    type: 'object',
    required: Object.keys(properties),
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, [type, description]]) => [
        name,
        { type, description },
      ]),
    ),
  };
}
