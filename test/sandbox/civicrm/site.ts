import { type CivicrmSandboxOptions, startCivicrmSandbox } from '../../../sandbox/civicrm/index.ts';

/** The parts of an APIv4 response that tests read. */
export interface Reply {
  status: number;
  type: string | null;
  text: string;
  body: {
    values: Record<string, unknown>[];
    count: number;
    countMatched?: number;
    error_code?: unknown;
    error_message?: string;
    status?: number;
  };
}

/**
 * Opens a site and a client. The client's requests have the form that version 3.2.2 of the npm package `civicrm`
 * uses.
 */
export async function openSite(options: CivicrmSandboxOptions = {}) {
  const sandbox = await startCivicrmSandbox({ contacts: 5, donors: 10, ...options });
  return {
    sandbox,
    api,
    control,
    async call(entity: string, action: string, params: object = {}) {
      const reply = await api(entity, action, params);
      if (reply.status !== 200) throw new Error(`${reply.status} ${reply.text}`);
      return reply.body;
    },
    close: sandbox.close,
  };

  async function api(
    entity: string,
    action: string,
    params: object = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Reply> {
    const response = await fetch(`${sandbox.baseUrl}/civicrm/ajax/api4/${entity}/${action}`, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'X-Requested-With': 'XMLHttpRequest',
        'Content-Type': 'application/x-www-form-urlencoded',
        'X-Civi-Auth': `Bearer ${sandbox.apiKey}`,
        Authorization: `Bearer ${sandbox.apiKey}`,
        ...headers,
      },
      body: new URLSearchParams({ params: JSON.stringify(params) }).toString(),
    });
    const text = await response.text();
    const type = response.headers.get('content-type');
    const isJson = type === 'application/json' && text.startsWith('{');
    return { status: response.status, type, text, body: isJson ? JSON.parse(text) : {} };
  }

  async function control(method: string, path: string, order?: object): Promise<unknown> {
    const response = await fetch(`${sandbox.rootUrl}/_sandbox/${path}`, {
      method,
      ...(order === undefined ? {} : { body: JSON.stringify(order) }),
    });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    return response.json();
  }
}
