import java.util.ArrayList;
import java.util.List;
import okhttp3.Cookie;
import okhttp3.CookieJar;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.AccountsApi;
import org.openapitools.client.auth.HttpBearerAuth;
import org.openapitools.client.model.Login;

class Main {
  static final String API = "http://127.0.0.1:8080";

  static class Cookies implements CookieJar {
    private List<Cookie> kept = new ArrayList<>();

    public synchronized void saveFromResponse(HttpUrl url, List<Cookie> received) {
      kept.removeIf(old -> received.stream().anyMatch(one -> one.name().equals(old.name())));
      kept.addAll(received);
    }

    public synchronized List<Cookie> loadForRequest(HttpUrl url) {
      return kept.stream().filter(one -> one.matches(url)).toList();
    }
  }

  public static void main(String[] args) throws Exception {
    OkHttpClient http = new OkHttpClient.Builder().cookieJar(new Cookies()).build();
    ApiClient client = new ApiClient(http).setBasePath(API + "/v8");
    AccountsApi accounts = new AccountsApi(client);
    AccountsApi withoutVersion = new AccountsApi(new ApiClient(http));
    withoutVersion.setCustomBaseUrl(API);

    // ApiClient.setBearerToken would set one of the schemes, whichever comes first.
    HttpBearerAuth bearer = (HttpBearerAuth) client.getAuthentication("accessToken");
    bearer.setBearerToken(accounts.login(new Login().email(args[0]).password(args[1]), true).getAccessToken());
    // After a 401:
    bearer.setBearerToken(withoutVersion.access(null).getAccessToken());
    System.out.println(accounts.getSelf().getName());
  }
}
