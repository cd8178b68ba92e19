import * as z from "zod";

/** Tags under which a service can be listed, in the order in which clients show them. */
export const serviceTag = z
  .enum([
    "audio",
    "books",
    "business",
    "design",
    "education",
    "entertainment",
    "finance",
    "fitness",
    "food-drink",
    "games",
    "graphics",
    "health",
    "integration",
    "lifestyle",
    "media",
    "medical",
    "movies",
    "music",
    "news",
    "photography",
    "poll",
    "productivity",
    "quiz",
    "rating",
    "shopping",
    "social",
    "sports",
    "travel",
    "tutorial",
    "video",
    "weather",
  ])
  .meta({ id: "ServiceTag" });
export type ServiceTag = z.infer<typeof serviceTag>;

/** Maximum number of tags of a service, of a conjunction, and of alternatives in a search. */
export const maxTags = 3;
