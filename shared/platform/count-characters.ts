/** Number of characters in a text, counted as schemas count them: one beyond the basic plane counts once. */
export const countCharacters = (text: string): number => [...text].length;
