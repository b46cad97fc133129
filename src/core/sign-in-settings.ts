/** How users may sign in without passwords, according to the settings. */
export interface ProviderSettings {
  /** The issuer of an OpenID Connect provider. `/.well-known/openid-configuration` is below it. */
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The label of the button. Defaults to the issuer's host. */
  name?: string | undefined;
  /** The domains of accepted e-mail addresses. If omitted, any domain. */
  allowedDomains?: readonly string[] | undefined;
}

/** `server.plainHttp` in the settings. It says whether users may sign in over connections that others could read. */
export type PlainHttp = 'refuse' | 'allow';
