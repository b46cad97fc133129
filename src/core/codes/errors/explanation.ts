/** The explanation of an error code. It repeats nothing that the message of the error says better. */
export interface ErrorExplanation {
  /** What happened, and what did not happen. */
  means: string;
  /** What to do next. */
  next: string;
  /** What it costs, if credits are concerned. */
  costs?: string;
  /** The document that says more, if it differs from the topic's document. */
  document?: string;
}

/** The error codes of a topic, with the document that says more about most of them. */
export interface ErrorTopic {
  document: string;
  codes: Readonly<Record<string, ErrorExplanation>>;
}
