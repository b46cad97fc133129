/**
 * The OpenAPI document from which Salesforce's External Services make the actions of a flow. It is small and flat,
 * because External Services support less than OpenAPI does (crm-facts F9): version 3.0, names that are Apex
 * identifiers, objects without nesting, no response without a body, descriptions of fewer than 1,333 characters.
 * Salesforce ignores `security` and response headers; the token comes from the named credential.
 */

/** Actions by the names that flows use. A changed name breaks the flows that use it, so they never change. */
export const DOOR_ACTIONS = { status: 'status', enhance: 'enhance' } as const;

/** The statuses of responses that External Services hand to the flow, as names of their output parameters. */
export const DOOR_RESPONSES = { status: '200', enhance: '202' } as const;

/** The paths under the client's own address, with the contact's ID in the path. */
export const DOOR_PATHS = {
  status: '/contacts/{contact}',
  enhance: '/contacts/{contact}/enhance',
} as const;

const CONTACT = {
  name: 'contact',
  in: 'path',
  required: true,
  description: 'The ID of the contact in Salesforce.',
  schema: { type: 'string' },
};

/**
 * The flow sends the ID of its interview. A click that is repeated has the same one, so it costs one credit.
 */
const CLICK = {
  name: 'click',
  in: 'query',
  required: true,
  description: 'The ID of the flow interview. The same ID counts as the same click.',
  schema: { type: 'string' },
};

const REFUSED = {
  description:
    'Refused: nothing was changed. The flow continues on its fault path with this message.',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/DoorError' } } },
};

/** Returns the document. The address of the server comes from the named credential. */
export function doorDocument(): Record<string, unknown> {
  return {
    openapi: '3.0.3',
    info: {
      title: 'donor-sync for Salesforce',
      version: '1.0.0',
      description: 'Reads the status of one contact, and has one contact enhanced.',
    },
    paths: {
      [DOOR_PATHS.status]: {
        get: {
          operationId: DOOR_ACTIONS.status,
          summary: 'Read the status of one contact',
          description:
            'Returns sentences to show to the user. It changes nothing and costs nothing.',
          parameters: [CONTACT],
          responses: { [DOOR_RESPONSES.status]: respondWith('DoorStatus'), default: REFUSED },
        },
      },
      [DOOR_PATHS.enhance]: {
        post: {
          operationId: DOOR_ACTIONS.enhance,
          summary: 'Enhance one contact now',
          description:
            'Marks the contact as wanted. A run enhances it for one credit, unless a rule of the client prevents that.',
          parameters: [CONTACT, CLICK],
          responses: { [DOOR_RESPONSES.enhance]: respondWith('DoorReceipt'), default: REFUSED },
        },
      },
    },
    components: {
      schemas: {
        DoorStatus: flatObject({
          contact: ['string', 'The ID of the contact.'],
          status: ['string', 'The status in one sentence.'],
          canEnhance: ['boolean', 'Whether the contact can be enhanced now for one credit.'],
          link: ['string', "The contact's page in donor-sync, where users sign in and decide."],
        }),
        DoorReceipt: flatObject({
          contact: ['string', 'The ID of the contact.'],
          message: ['string', 'What happens next, in one sentence.'],
          left: ['integer', 'How many more contacts this org can mark as wanted today.'],
          link: ['string', "The contact's page in donor-sync."],
        }),
        DoorError: flatObject({
          message: ['string', 'What happened, and what to do next.'],
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
