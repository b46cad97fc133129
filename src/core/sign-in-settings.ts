/** How users may sign in without passwords. */
export interface ProviderSettings {
  /**
   * An OpenID Connect provider's issuer. The provider's configuration is at `/.well-known/openid-configuration` below
   * this address.
   */
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The label of the button. Defaults to the issuer's host. */
  name?: string | undefined;
  /** The domains of accepted email addresses. If omitted, any domain. */
  allowedDomains?: readonly string[] | undefined;
}

/** The setting `server.plainHttp`. Controls sign-in over connections that others could read. */
export type PlainHttp = 'refuse' | 'allow';
