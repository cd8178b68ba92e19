/** Texts of the page in one language. */
export interface Texts {
  readonly title: string;
  readonly intro: (productName: string) => string;
  readonly advice: (productName: string) => string;
  readonly help: string;
}
