/** A minimal browser for signing in. It follows redirects, stores cookies, and sends one form. */

export interface Page {
  url: URL;
  status: number;
  headers: Headers;
  text: string;
}

export interface Browser {
  /** Opens an address and follows all redirects. */
  open(address: string | URL): Promise<Page>;
  /** Presses a button on the CRM's consent page. */
  decide(page: Page, decision: 'allow' | 'deny'): Promise<Page>;
  /** Opens an address without following redirects. Returns the redirect's target, or null. */
  peek(address: string | URL): Promise<URL | null>;
}

const MAX_REDIRECTS = 10;

/** Creates a browser without cookies. `served` contains the real address of each public origin. */
export function createBrowser(served: Readonly<Record<string, string>> = {}): Browser {
  const cookies = new Map<string, Map<string, string>>();

  async function send(address: URL, body?: URLSearchParams): Promise<Response> {
    const { origin, pathname, search } = address;
    const known = [...(cookies.get(origin) ?? [])].map(([name, value]) => `${name}=${value}`);
    const response = await fetch(`${served[origin] ?? origin}${pathname}${search}`, {
      redirect: 'manual',
      headers: known.length > 0 ? { cookie: known.join('; ') } : {},
      ...(body === undefined ? {} : { method: 'POST', body }),
    });
    for (const line of response.headers.getSetCookie()) keep(origin, line);
    return response;
  }

  function keep(origin: string, line: string): void {
    const [, name = '', value = '', rest = ''] = /^([^=]+)=([^;]*)(.*)$/.exec(line) ?? [];
    const jar = cookies.get(origin) ?? new Map<string, string>();
    if (/max-age=0(;|$)/i.test(rest)) jar.delete(name);
    else jar.set(name, value);
    cookies.set(origin, jar);
  }

  async function go(start: URL, body?: URLSearchParams): Promise<Page> {
    let url = start;
    let response = await send(url, body);
    for (let count = 0; count < MAX_REDIRECTS; count += 1) {
      const location = response.headers.get('location');
      const text = await response.text();
      if (location === null)
        return { url, status: response.status, headers: response.headers, text };
      url = new URL(location, url);
      response = await send(url);
    }
    throw new Error(`${start.origin} redirects without end.`);
  }

  return {
    open: (address) => go(new URL(address)),
    decide({ url }, decision) {
      const form = new URLSearchParams(url.searchParams);
      form.set('decision', decision);
      return go(new URL(url.pathname, url), form);
    },
    async peek(address) {
      const response = await send(new URL(address));
      await response.text();
      const location = response.headers.get('location');
      return location === null ? null : new URL(location, address);
    },
  };
}
