import okhttp3.Cookie
import okhttp3.CookieJar
import okhttp3.HttpUrl
import okhttp3.OkHttpClient
import org.openapitools.client.apis.AccountsApi
import org.openapitools.client.infrastructure.ApiClient
import org.openapitools.client.models.Login

const val API = "http://127.0.0.1:8080"

/** An app keeps them on disk. */
class Cookies : CookieJar {
    private var kept = listOf<Cookie>()

    @Synchronized
    override fun saveFromResponse(url: HttpUrl, cookies: List<Cookie>) {
        kept = kept.filter { old -> cookies.none { it.name == old.name } } + cookies
    }

    @Synchronized
    override fun loadForRequest(url: HttpUrl) = kept.filter { it.matches(url) }
}

fun main(args: Array<String>) {
    val (email, password) = args
    val http = OkHttpClient.Builder().cookieJar(Cookies()).build()
    val accounts = AccountsApi("$API/v8", http)
    val withoutVersion = AccountsApi(API, http)

    ApiClient.accessToken = accounts.login(Login(email = email, password = password), persist = true).accessToken
    // After a 401:
    ApiClient.accessToken = withoutVersion.access().accessToken
    println(accounts.getSelf().name)
}
