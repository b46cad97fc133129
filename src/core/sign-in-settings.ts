/** How users may sign in other than with passwords, according to the settings. */
export interface ProviderSettings {
  /** The issuer of an OpenID Connect provider: below it is `/.well-known/openid-configuration`. */
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Label of the button; by default the issuer's host. */
  name?: string | undefined;
  /** Only e-mail addresses of these domains; any if omitted. */
  allowedDomains?: readonly string[] | undefined;
}

/** `server.plainHttp` of the settings: whether users may sign in over connections that others could read. */
export type PlainHttp = 'refuse' | 'allow';
